-- down: what assignments of loans changed, so that they can no longer be undone by one call
drop table loanassignmentattempt;
drop table loanassignment;
