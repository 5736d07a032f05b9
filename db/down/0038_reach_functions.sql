-- down: nothing; the functions get back the text that 0032 had left
create or replace function public.casewright_reach_below(parent text, parentid bigint)
 RETURNS bigint[]
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  if parent in ('Foreclosure', 'Bankruptcy', 'Process') then
    return (select array[organizationid] from process where processid = parentid and organizationid is not null);
  elsif parent = 'Loan' then
    return (select reachorganizationid from loan where loanid = parentid);
  elsif parent = 'ImportForm' then
    return (select array[reachorganizationid] from importform where importformid = parentid and reachorganizationid is not null);
  elsif parent = 'Ledger' then
    return (select array[reachorganizationid] from ledger where ledgerid = parentid and reachorganizationid is not null);
  elsif parent = 'Message' then
    return (select array[reachorganizationid] from message where messageid = parentid and reachorganizationid is not null);
  elsif parent = 'Contact' then
    return (select reachorganizationid from contact where contactid = parentid);
  elsif parent = 'Person' then
    return (select array[organizationid] from person where personid = parentid and organizationid is not null);
  elsif parent = 'Organization' then
    return array[parentid];
  elsif parent = 'Property' then
    return (select reachorganizationid from property where propertyid = parentid);
  elsif parent = 'DecisionDelay' then
    return (select array[reachorganizationid] from decisiondelay where decisiondelayid = parentid and reachorganizationid is not null);
  elsif parent = 'Attachment' then
    return (select array[reachorganizationid] from attachment where attachmentid = parentid and reachorganizationid is not null);
  elsif parent = 'ImportFile' then
    return (select array[organizationid] from importfile where importfileid = parentid and organizationid is not null);
  end if;
  if parent = 'Score' then
    return (select array[reachorganizationid] from score where scoreid = parentid and reachorganizationid is not null);
  end if;
  if parent = 'Decision' then
    return (select array[reachorganizationid] from decision where decisionid = parentid and reachorganizationid is not null);
  end if;
  if parent = 'DecisionStep' then
    return (select array[reachorganizationid] from decisionstep where decisionstepid = parentid and reachorganizationid is not null);
  end if;
  return null;
end $function$;

create or replace function public.casewright_reach_loan_changed()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  if new.propertyid is not null then perform casewright_reach_property(new.propertyid); end if;
  if tg_op = 'UPDATE' then
    if old.propertyid is distinct from new.propertyid and old.propertyid is not null then perform casewright_reach_property(old.propertyid); end if;
    if new.reachorganizationid is distinct from old.reachorganizationid then
      update contact set reachorganizationid = new.reachorganizationid where object = 'Loan' and objectid = new.loanid;
      update publicrecord set reachorganizationid = new.reachorganizationid where loanid = new.loanid;
      update message set reachorganizationid = null where object = 'Loan' and objectid = new.loanid;
      update attachment set reachorganizationid = null where object = 'Loan' and objectid = new.loanid;
      update decisiondelay set reachorganizationid = null where object = 'Loan' and objectid = new.loanid;
      update importform set reachorganizationid = null where object = 'Loan' and objectid = new.loanid;
      update score set reachorganizationid = null where object = 'Loan' and objectid = new.loanid;
      update decision set reachorganizationid = null where object = 'Loan' and objectid = new.loanid;
      update ledger set reachorganizationid = null where object = 'Loan' and objectid = new.loanid;
    end if;
  end if;
  return null;
end $function$;

create or replace function public.casewright_reach_process_changed()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  if tg_op <> 'DELETE' and new.loanid is not null then perform casewright_reach_loan(new.loanid); end if;
  if tg_op <> 'INSERT' and old.loanid is not null and (tg_op = 'DELETE' or old.loanid is distinct from new.loanid) then perform casewright_reach_loan(old.loanid); end if;
  if tg_op = 'UPDATE' and old.organizationid is distinct from new.organizationid then
    update foreclosure set reachorganizationid = new.organizationid where foreclosureid = new.processid;
    update bankruptcy set reachorganizationid = new.organizationid where bankruptcyid = new.processid;
    update importform set reachorganizationid = null where object = new.recordclass and objectid = new.processid;
    update decisiondelay set reachorganizationid = null where object = new.recordclass and objectid = new.processid;
    update message set reachorganizationid = null where (object = new.recordclass and objectid = new.processid)
      or (object = 'ImportForm' and objectid in (select importformid from importform where object = new.recordclass and objectid = new.processid));
    update attachment set reachorganizationid = null where object = new.recordclass and objectid = new.processid;
    update score set reachorganizationid = null where object = new.recordclass and objectid = new.processid;
    update decision set reachorganizationid = null where object = new.recordclass and objectid = new.processid;
    update ledger set reachorganizationid = null where object = new.recordclass and objectid = new.processid;
    update ledgeritem set reachorganizationid = null where ledgerid in (select ledgerid from ledger where object = new.recordclass and objectid = new.processid);
    update contact set reachorganizationid = coalesce(array[new.organizationid], '{}') where object = new.recordclass and objectid = new.processid;
  end if;
  return null;
end $function$;

create or replace function public.casewright_reach_spread()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
declare
  class text := tg_argv[0];
  parentid bigint := (to_jsonb(new) ->> (tg_table_name || 'id'))::bigint;
begin
  update contact set objectid = objectid where object = class and objectid = parentid;
  update importform set reachorganizationid = null where object = class and objectid = parentid;
  update decisiondelay set reachorganizationid = null where object = class and objectid = parentid;
  update message set reachorganizationid = null where object = class and objectid = parentid;
  update attachment set reachorganizationid = null where object = class and objectid = parentid;
  update ledger set reachorganizationid = null where object = class and objectid = parentid;
  if class = 'Ledger' then update ledgeritem set reachorganizationid = null where ledgerid = parentid; end if;
  update score set reachorganizationid = null where object = class and objectid = parentid;
  if class = 'Score' then update scoreitem set reachorganizationid = null where scoreid = parentid; end if;
  update decision set reachorganizationid = null where object = class and objectid = parentid;
  if class = 'Decision' then update decisionstep set reachorganizationid = null where decisionid = parentid; end if;
  return null;
end $function$;
