-- down: nothing
create trigger follow_history after update or delete on follow for each row execute function casewright_history();
