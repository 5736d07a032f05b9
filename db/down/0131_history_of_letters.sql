-- down: nothing
create or replace trigger delivery_history after update or delete on delivery for each row
  execute function casewright_history();
create or replace trigger deliverybatch_history after update or delete on deliverybatch for each row
  execute function casewright_history();
