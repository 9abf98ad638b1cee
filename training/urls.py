api = []
