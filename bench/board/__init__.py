"""The parts of bench/scoreboard: cells and their table, the judge of results, statistics, the page."""
