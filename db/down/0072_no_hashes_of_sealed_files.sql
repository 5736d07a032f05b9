-- down: sealed files that are stored from then on have a hash again; those that were cleared stay without
drop trigger attachment_sealed_hash on attachment;
drop function casewright_attachment_sealed();
create or replace trigger attachment_history after delete or update on attachment for each row
  execute function casewright_history();
