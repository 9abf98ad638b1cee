"""What /progress shows: the lifts, the weeks, and the sentence at its top."""
