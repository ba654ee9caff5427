from scale_page import above, kind, page


def run_of(world, shards=4, peak=300.0, seconds=6.0):
    r"""What a run of so many processes measured."""
    epoch = {
        'loss': 0.5,
        'val_acc': 0.9,
        'train cpu': seconds,
        'train wall': seconds,
        'validate cpu': 1.0,
        'sent': 2**20,
        'wire': 3 * 2**20,
    }
    process = {
        'world': world,
        'nodes': 1000,
        'pairs': 20_000,
        'owned': 20_000 // world,
        'steps': 5,
        'network': 2**19,
        'base MB': 100.0,
        'epochs': [epoch],
    }
    every = [
        {**process, 'rank': rank, 'peak MB': peak + rank}
        for rank in range(world)
    ]
    return {
        'shards': shards,
        'cluster size': 100,
        'batch size': 2,
        'processes': every,
    }


def test_memory_is_compared_with_one_process():
    text = page([run_of(1, peak=500.0), run_of(4, peak=197.0)]).splitlines()
    # 400 MB above the base, and 97 to 100 MB:
    one = '| 1,000 | 20,000 | 1 | 2 | 100 | 400 | 1.00 | 6.0 | 1.0 | 1.0 |'
    four = '| 1,000 | 20,000 | 4 | 2 | 100 | 97–100 | 0.25 | 6.0 | 1.0 | 1.0 |'
    assert any(line.startswith(one) for line in text)
    assert any(line.startswith(four) for line in text)
    assert f'{four} 0.50 | 3.0 | 0.500000 |' in text


def test_the_cost_of_a_candidate():
    text = page([run_of(1, shards=1, seconds=0.006)]).splitlines()
    # 6 ms for 20,000 candidates of three graphs:
    assert '| 1,000 | 20,000 | 100 |' in text


def test_the_greatest_peak_counts():
    assert above(run_of(4, peak=150.0)) == 53.0


def test_sizes_and_processes_are_measured_once():
    kinds = {kind(run) for run in (run_of(1), run_of(4), run_of(1, shards=1))}
    assert len(kinds) == 3
    assert kind(run_of(1, peak=1.0)) == kind(run_of(1, peak=2.0))
