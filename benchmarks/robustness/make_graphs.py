import os
from pathlib import Path

from attacks import ATTACKS, FOLDER
from cases import Case
from json_lines import one_thread_each
from tqdm import tqdm
from trials import Trial


def make_graphs(trials: list[Trial], folder: Path, workers: int) -> None:
    r"""Makes the attacked graphs that trials need and the folder lacks, each
    once, before several trials would make the same one.
    """
    os.environ[FOLDER] = str(folder.resolve())
    wanted = dict.fromkeys(
        (trial.case, trial.run)
        for trial in trials
        if trial.case.attack in ATTACKS and trial.case.attack != 'words'
    )
    if not wanted:
        return
    with one_thread_each(workers) as pool:
        jobs = [pool.submit(_make, *each) for each in wanted]
        try:
            for job in tqdm(jobs, desc='attacked graphs'):
                job.result()
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise


def _make(case: Case, run: int) -> None:
    case.load(run)
