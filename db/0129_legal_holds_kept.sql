-- A legal hold is evidence: who placed it, who released it, when and why. Its row is released once and not changed otherwise,
-- neither by an operation nor by a statement that an administrator of the database runs by mistake.
create function casewright_legalhold_kept()
  returns trigger language plpgsql set search_path to 'public', 'pg_temp'
as $function$
begin
  if tg_op = 'DELETE' then
    raise exception 'a legal hold is not deleted' using errcode = 'check_violation', constraint = 'legalhold_kept', table = 'legalhold';
  end if;
  if old.releaseddate is not null or new.releaseddate is null
    or (new.legalholdid, new.object, new.objectid, new.reason, new.createddate) is distinct from
       (old.legalholdid, old.object, old.objectid, old.reason, old.createddate)
    or new.createdpersonid is distinct from old.createdpersonid then
    raise exception 'a legal hold changes only when it is released' using errcode = 'check_violation',
      constraint = 'legalhold_kept', table = 'legalhold';
  end if;
  return new;
end $function$;
create trigger legalhold_kept before update or delete on legalhold for each row execute function casewright_legalhold_kept();
