"""The passes, one module or package each, in the order of `driver.py`."""
