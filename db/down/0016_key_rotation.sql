-- down: which processes know which keys is forgotten; refused while a rotation is under way
do $$
begin
  if exists (select from secretkeyrotation where phase <> 'done') then
    raise exception 'the keys are being rotated: finish that first (npm run db -- rotate)';
  end if;
end $$;
drop trigger contact_history on contact;
create trigger contact_history after update or delete on contact for each row execute function casewright_history();
drop table secretkeyholder;
drop table secretkeyrotation;
