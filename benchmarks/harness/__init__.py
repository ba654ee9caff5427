r"""What all benchmarks share: data × system × setting, each trial a line of
JSON in a file that resumes, and pages made from these lines.
"""

import os
import warnings

os.environ.setdefault('OMP_NUM_THREADS', '1')
warnings.filterwarnings('ignore', message='Sparse CSR tensor support')
