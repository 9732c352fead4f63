"""What is served to people's tools: the page of ``tensorlift explore``."""
