"""The live class: every phone in the room is a site, and the screen shows their messages and the average."""
