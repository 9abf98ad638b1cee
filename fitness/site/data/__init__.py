"""The data of an account as a whole: what leaves (`exports`), and what comes back (`archive`).

`resources` lists what there is. Deletion is in fitness/site/account_data.py.
"""
