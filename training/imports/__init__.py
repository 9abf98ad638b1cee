"""Training out of the files of other apps, and out of our own archive."""
