"""The application floor: from a table in a file to a printed answer, a report and a folder of results."""
