-- When a letter was last checked, and until when a mailing is leased, are no changes that anybody looks for: the history
-- had an entry of each check and each extension, several a day for every letter in transit.
create or replace trigger delivery_history after update or delete on delivery for each row
  execute function casewright_history('trackeddate');
create or replace trigger deliverybatch_history after update or delete on deliverybatch for each row
  execute function casewright_history('leaseduntil');
