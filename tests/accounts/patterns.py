import re

KEY = re.compile(r"svc_[A-Za-z0-9]{40}")
