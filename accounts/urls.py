api = []

pages = []
