import subprocess
import sys


def test_rules_need_neither_models_nor_a_database():
    """Of Django they need what translates their reasons."""
    program = "import sys, training.plans; print([name for name in sys.modules if is_known(name)])"
    is_known = "is_known = lambda name: name.startswith('django.db') or 'models' in name.split('.')"
    assert subprocess.check_output([sys.executable, "-c", f"{is_known}\n{program}"], text=True) == "[]\n"
