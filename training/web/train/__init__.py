"""The page /train: what its script sends and reads, the finish, and what is shown afterwards."""
