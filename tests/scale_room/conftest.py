import sys
from pathlib import Path

# For what the tests of this folder share, also with other processes:
sys.path.insert(0, str(Path(__file__).parent))
