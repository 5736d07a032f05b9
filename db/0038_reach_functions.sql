-- The functions that say which firms reach a record below another one, and that pass a change of it on, each in full.
--
-- Migrations 0030 and 0032 had added lines to them by editing their text, so no file said what they had become. From here on a
-- function is replaced whole, and db/schema.sql shows the present text of all. Report views are made from the declarations of
-- the record types after each migration, no longer by migrations.

-- The firms that reach what hangs below a record: those that reach the record itself. Null where there are none.
create or replace function casewright_reach_below(parent text, parentid bigint) returns bigint[]
language plpgsql stable security definer set search_path = public, pg_temp as $$
begin
  case parent
    when 'Foreclosure', 'Bankruptcy', 'Process' then
      return (select array[organizationid] from process where processid = parentid and organizationid is not null);
    when 'Loan' then
      return (select reachorganizationid from loan where loanid = parentid);
    when 'Property' then
      return (select reachorganizationid from property where propertyid = parentid);
    when 'Contact' then
      return (select reachorganizationid from contact where contactid = parentid);
    when 'Organization' then
      return array[parentid];
    when 'Person' then
      return (select array[organizationid] from person where personid = parentid and organizationid is not null);
    when 'ImportFile' then
      return (select array[organizationid] from importfile where importfileid = parentid and organizationid is not null);
    when 'ImportForm' then
      return (select array[reachorganizationid] from importform
        where importformid = parentid and reachorganizationid is not null);
    when 'Ledger' then
      return (select array[reachorganizationid] from ledger where ledgerid = parentid and reachorganizationid is not null);
    when 'Message' then
      return (select array[reachorganizationid] from message where messageid = parentid and reachorganizationid is not null);
    when 'Attachment' then
      return (select array[reachorganizationid] from attachment
        where attachmentid = parentid and reachorganizationid is not null);
    when 'DecisionDelay' then
      return (select array[reachorganizationid] from decisiondelay
        where decisiondelayid = parentid and reachorganizationid is not null);
    when 'Score' then
      return (select array[reachorganizationid] from score where scoreid = parentid and reachorganizationid is not null);
    when 'Decision' then
      return (select array[reachorganizationid] from decision
        where decisionid = parentid and reachorganizationid is not null);
    when 'DecisionStep' then
      return (select array[reachorganizationid] from decisionstep
        where decisionstepid = parentid and reachorganizationid is not null);
    else
      return null;
  end case;
end $$;

-- Passes a change of a record's firms on to what hangs below it. Setting the column makes the row's own trigger work it out anew.
create or replace function casewright_reach_spread() returns trigger
language plpgsql security definer set search_path = public, pg_temp as $$
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
  update score set reachorganizationid = null where object = class and objectid = parentid;
  update decision set reachorganizationid = null where object = class and objectid = parentid;
  case class
    when 'Ledger' then update ledgeritem set reachorganizationid = null where ledgerid = parentid;
    when 'Score' then update scoreitem set reachorganizationid = null where scoreid = parentid;
    when 'Decision' then update decisionstep set reachorganizationid = null where decisionid = parentid;
    else null;
  end case;
  return null;
end $$;

-- A loan's firms are those of its cases; what hangs below the loan, and its property, follow.
create or replace function casewright_reach_loan_changed() returns trigger
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  if new.propertyid is not null then perform casewright_reach_property(new.propertyid); end if;
  if tg_op = 'UPDATE' then
    if old.propertyid is distinct from new.propertyid and old.propertyid is not null then
      perform casewright_reach_property(old.propertyid);
    end if;
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
end $$;

-- A case's firm is its OrganizationID; what hangs below the case, and its loan, follow.
create or replace function casewright_reach_process_changed() returns trigger
language plpgsql security definer set search_path = public, pg_temp as $$
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
end $$;
