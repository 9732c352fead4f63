"""Reports: a run record rendered for people (`terminal`, `excerpt`) and written to files (`output`)."""
