-- Who reaches cases, what hangs below them, and the loans that several firms share.

-- The firms that reach what hangs below a record.
create or replace function casewright_reach_below(parent text, parentid bigint) returns bigint[] language plpgsql stable security definer set search_path = public, pg_temp as $$
begin
  return case parent
    when 'Organization' then array[parentid]
    when 'Contact' then (select reachorganizationid from contact where contactid = parentid)
    when 'Person' then (select array[organizationid] from person where personid = parentid and organizationid is not null)
    when 'Foreclosure' then (select array[organizationid] from process where processid = parentid and organizationid is not null)
    when 'Process' then (select array[organizationid] from process where processid = parentid and organizationid is not null)
    when 'Loan' then (select reachorganizationid from loan where loanid = parentid)
    when 'Property' then (select reachorganizationid from property where propertyid = parentid)
    when 'ImportForm' then (select array[reachorganizationid] from importform where importformid = parentid and reachorganizationid is not null)
    when 'DecisionDelay' then (select array[reachorganizationid] from decisiondelay where decisiondelayid = parentid and reachorganizationid is not null)
    when 'Message' then (select array[reachorganizationid] from message where messageid = parentid and reachorganizationid is not null)
    when 'Attachment' then (select array[reachorganizationid] from attachment where attachmentid = parentid and reachorganizationid is not null)
    when 'Ledger' then (select array[reachorganizationid] from ledger where ledgerid = parentid and reachorganizationid is not null)
    when 'ImportFile' then (select array[organizationid] from importfile where importfileid = parentid and organizationid is not null)
  end;
end $$;

-- The firm that reaches a templated child. Its template decides whether the parent's firm may see it; without a template, or
-- where the template keeps partners out, only a firm that made it itself. Of a loan's children each firm sees its own alone:
-- the loan is shared, what firms write on it is not.
create function casewright_reach_child(parent text, parentid bigint, extranet text, templated boolean, madeby bigint) returns bigint language plpgsql stable security definer set search_path = public, pg_temp as $$
declare
  firms bigint[] := casewright_reach_below(parent, parentid);
  maker bigint := (select organizationid from person where personid = madeby);
begin
  if parent = 'ImportFile' or (templated and coalesce(extranet, 'Self') <> 'No' and parent not in ('Loan', 'Property', 'Contact')) then
    return firms[1];
  end if;
  return case when maker = any(firms) then maker end;
end $$;

create function casewright_reach_importform() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  new.reachorganizationid := casewright_reach_child(new.object, new.objectid, (select extranetenabled from importformtemplate where importformtemplateid = new.importformtemplateid), new.importformtemplateid is not null, new.createdpersonid);
  return new;
end $$;
create trigger importform_reach before insert or update of object, objectid, importformtemplateid, reachorganizationid on importform for each row execute function casewright_reach_importform();

create function casewright_reach_decisiondelay() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  new.reachorganizationid := casewright_reach_child(new.object, new.objectid, (select extranetenabled from decisiondelaytemplate where decisiondelaytemplateid = new.decisiondelaytemplateid), new.decisiondelaytemplateid is not null, new.createdpersonid);
  return new;
end $$;
create trigger decisiondelay_reach before insert or update of object, objectid, decisiondelaytemplateid, reachorganizationid on decisiondelay for each row execute function casewright_reach_decisiondelay();

create function casewright_reach_message() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  new.reachorganizationid := casewright_reach_child(new.object, new.objectid, (select extranetenabled from messagetemplate where messagetemplateid = new.messagetemplateid), new.messagetemplateid is not null, new.createdpersonid);
  return new;
end $$;
create trigger message_reach before insert or update of object, objectid, messagetemplateid, reachorganizationid on message for each row execute function casewright_reach_message();

create function casewright_reach_attachment() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  new.reachorganizationid := casewright_reach_child(new.object, new.objectid, (select extranetenabled from attachmenttemplate where attachmenttemplateid = new.attachmenttemplateid), new.attachmenttemplateid is not null, new.createdpersonid);
  return new;
end $$;
create trigger attachment_reach before insert or update of object, objectid, attachmenttemplateid, reachorganizationid on attachment for each row execute function casewright_reach_attachment();

create function casewright_reach_ledger() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  new.reachorganizationid := casewright_reach_child(new.object, new.objectid, (select extranetenabled from ledgertemplate where ledgertemplateid = new.ledgertemplateid), new.ledgertemplateid is not null, new.createdpersonid);
  return new;
end $$;
create trigger ledger_reach before insert or update of object, objectid, ledgertemplateid, reachorganizationid on ledger for each row execute function casewright_reach_ledger();

create function casewright_reach_ledgeritem() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  new.reachorganizationid := (select reachorganizationid from ledger where ledgerid = new.ledgerid);
  return new;
end $$;
create trigger ledgeritem_reach before insert or update of ledgerid, reachorganizationid on ledgeritem for each row execute function casewright_reach_ledgeritem();

-- A loan and its property are reached through cases. While a firm's referral makes them, before the case exists, they are its own.
create function casewright_reach_new() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
declare
  firm bigint := coalesce(nullif(current_setting('casewright.firm', true), ''), '0')::bigint;
begin
  new.reachorganizationid := case when firm > 0 then array[firm] else '{}' end;
  return new;
end $$;
create trigger loan_reach before insert on loan for each row execute function casewright_reach_new();
create trigger property_reach before insert on property for each row execute function casewright_reach_new();

create function casewright_reach_publicrecord() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  new.reachorganizationid := coalesce((select reachorganizationid from loan where loanid = new.loanid), '{}');
  return new;
end $$;
create trigger publicrecord_reach before insert or update of loanid, reachorganizationid on publicrecord for each row execute function casewright_reach_publicrecord();

-- The firms of a loan: those of its cases that were assigned it. What belongs to the loan follows.
create function casewright_reach_loan(wanted bigint) returns void language plpgsql security definer set search_path = public, pg_temp as $$
declare
  firms bigint[] := coalesce((select array_agg(distinct organizationid order by organizationid) from process where loanid = wanted and loanassigned and organizationid is not null), '{}');
begin
  update loan set reachorganizationid = firms where loanid = wanted and reachorganizationid is distinct from firms;
end $$;

create function casewright_reach_property(wanted bigint) returns void language plpgsql security definer set search_path = public, pg_temp as $$
declare
  firms bigint[] := coalesce((select array_agg(distinct f order by f) from loan, unnest(loan.reachorganizationid) f where loan.propertyid = wanted), '{}');
begin
  update property set reachorganizationid = firms where propertyid = wanted and reachorganizationid is distinct from firms;
end $$;

create function casewright_reach_loan_changed() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
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
      update ledger set reachorganizationid = null where object = 'Loan' and objectid = new.loanid;
    end if;
  end if;
  return null;
end $$;
create trigger loan_reach_changed after insert or update of propertyid, reachorganizationid on loan for each row execute function casewright_reach_loan_changed();

-- A case that comes, goes, or changes firm or loan changes who reaches the loan; one that changes firm takes its children along.
-- Setting a child's firm to anything makes its own trigger work it out anew.
create function casewright_reach_process_changed() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  if tg_op <> 'DELETE' and new.loanid is not null then perform casewright_reach_loan(new.loanid); end if;
  if tg_op <> 'INSERT' and old.loanid is not null and (tg_op = 'DELETE' or old.loanid is distinct from new.loanid) then perform casewright_reach_loan(old.loanid); end if;
  if tg_op = 'UPDATE' and old.organizationid is distinct from new.organizationid then
    update foreclosure set reachorganizationid = new.organizationid where foreclosureid = new.processid;
    update importform set reachorganizationid = null where object = new.recordclass and objectid = new.processid;
    update decisiondelay set reachorganizationid = null where object = new.recordclass and objectid = new.processid;
    update message set reachorganizationid = null where (object = new.recordclass and objectid = new.processid)
      or (object = 'ImportForm' and objectid in (select importformid from importform where object = new.recordclass and objectid = new.processid));
    update attachment set reachorganizationid = null where object = new.recordclass and objectid = new.processid;
    update ledger set reachorganizationid = null where object = new.recordclass and objectid = new.processid;
    update ledgeritem set reachorganizationid = null where ledgerid in (select ledgerid from ledger where object = new.recordclass and objectid = new.processid);
    update contact set reachorganizationid = coalesce(array[new.organizationid], '{}') where object = new.recordclass and objectid = new.processid;
  end if;
  return null;
end $$;
create trigger process_reach_changed after insert or delete or update of organizationid, loanid, loanassigned on process for each row execute function casewright_reach_process_changed();

-- What hangs below a record whose firms changed follows it, level by level. The argument is the class that children name in
-- Object. Setting a child's firm, or its parent anew, makes its own trigger work it out.
create function casewright_reach_spread() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
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
  return null;
end $$;
create trigger contact_reach_spread after update on contact for each row when (new.reachorganizationid is distinct from old.reachorganizationid) execute function casewright_reach_spread('Contact');
create trigger person_reach_spread after update on person for each row when (new.organizationid is distinct from old.organizationid) execute function casewright_reach_spread('Person');
create trigger property_reach_spread after update on property for each row when (new.reachorganizationid is distinct from old.reachorganizationid) execute function casewright_reach_spread('Property');
create trigger importform_reach_spread after update on importform for each row when (new.reachorganizationid is distinct from old.reachorganizationid) execute function casewright_reach_spread('ImportForm');
create trigger decisiondelay_reach_spread after update on decisiondelay for each row when (new.reachorganizationid is distinct from old.reachorganizationid) execute function casewright_reach_spread('DecisionDelay');
create trigger message_reach_spread after update on message for each row when (new.reachorganizationid is distinct from old.reachorganizationid) execute function casewright_reach_spread('Message');
create trigger attachment_reach_spread after update on attachment for each row when (new.reachorganizationid is distinct from old.reachorganizationid) execute function casewright_reach_spread('Attachment');
create trigger ledger_reach_spread after update on ledger for each row when (new.reachorganizationid is distinct from old.reachorganizationid) execute function casewright_reach_spread('Ledger');

-- A template that is closed to partners, or opened to them, does so for the instances that there are.
create function casewright_reach_template() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  execute format('update %I set reachorganizationid = null where %I = $1', tg_argv[0], tg_table_name || 'id') using (to_jsonb(new) ->> (tg_table_name || 'id'))::bigint;
  return null;
end $$;
create trigger importformtemplate_reach after update on importformtemplate for each row when (new.extranetenabled is distinct from old.extranetenabled) execute function casewright_reach_template('importform');
create trigger decisiondelaytemplate_reach after update on decisiondelaytemplate for each row when (new.extranetenabled is distinct from old.extranetenabled) execute function casewright_reach_template('decisiondelay');
create trigger messagetemplate_reach after update on messagetemplate for each row when (new.extranetenabled is distinct from old.extranetenabled) execute function casewright_reach_template('message');
create trigger attachmenttemplate_reach after update on attachmenttemplate for each row when (new.extranetenabled is distinct from old.extranetenabled) execute function casewright_reach_template('attachment');
create trigger ledgertemplate_reach after update on ledgertemplate for each row when (new.extranetenabled is distinct from old.extranetenabled) execute function casewright_reach_template('ledger');
