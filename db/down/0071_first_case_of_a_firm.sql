-- down: nothing
create or replace function casewright_reach_process_changed()
  returns trigger language plpgsql security definer set search_path to 'public', 'pg_temp'
as $function$
begin
  if tg_op <> 'DELETE' and new.loanid is not null then perform casewright_reach_loan(new.loanid); end if;
  if tg_op <> 'INSERT' and old.loanid is not null and (tg_op = 'DELETE' or old.loanid is distinct from new.loanid) then
    perform casewright_reach_loan(old.loanid);
  end if;
  if tg_op = 'UPDATE' and old.organizationid is distinct from new.organizationid then
    update foreclosure set reachorganizationid = new.organizationid where foreclosureid = new.processid;
    update bankruptcy set reachorganizationid = new.organizationid where bankruptcyid = new.processid;
    update importform set reachorganizationid = null where object = new.recordclass and objectid = new.processid;
    update decisiondelay set reachorganizationid = null where object = new.recordclass and objectid = new.processid;
    update message set reachorganizationid = null
      where (object = new.recordclass and objectid = new.processid)
        or (object = 'ImportForm' and objectid in (
          select importformid from importform where object = new.recordclass and objectid = new.processid));
    update attachment set reachorganizationid = null where object = new.recordclass and objectid = new.processid;
    update score set reachorganizationid = null where object = new.recordclass and objectid = new.processid;
    update decision set reachorganizationid = null where object = new.recordclass and objectid = new.processid;
    update ledger set reachorganizationid = null where object = new.recordclass and objectid = new.processid;
    update ledgeritem set reachorganizationid = null
      where ledgerid in (select ledgerid from ledger where object = new.recordclass and objectid = new.processid);
    update contact set reachorganizationid = coalesce(array[new.organizationid], '{}')
      where object = new.recordclass and objectid = new.processid;
  end if;
  return null;
end $function$;
