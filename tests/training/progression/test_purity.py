import subprocess
import sys


def test_rules_need_neither_models_nor_django():
    program = "import sys, training.progression; print([name for name in sys.modules if 'django' in name])"
    assert subprocess.check_output([sys.executable, "-c", program], text=True) == "[]\n"
