-- down: recipients of messages, mailboxes and what they received, blocked addresses, secure links, read marks, threads
update role
set permissions = btrim(replace(' ' || (permissions collate "C") || ' ',
    ' -MailInbound* -MailProcessor* -MailReceipt* -MailSuppression* -SecureLink* ', ' ')),
  updateddate = now(), version = version + 1
where strpos(' ' || (permissions collate "C") || ' ', ' -MailInbound* -MailProcessor* -MailReceipt* ') > 0;
do $$
declare
  dropped record;
  definition text;
begin
  for dropped in
    select * from (values
      ('maildelivery', '(messageid|messagerecipientid)'),
      ('message', '(threadid|internetmessageid|sentdate|mailinboundid|receiveddate|filedby|fileddetail|subjectchanged|autosubmitted)'),
      ('messagetemplate', '(toaddress|ccaddress|bccaddress|replytoaddress|tomethod|ccmethod|bccmethod|replytomethod|bodylanguage|attachmenttemplates|provider|securedelivery|isbulk|variantofid|language)'))
      as d (tablename, columnnames)
  loop
    if to_regclass('report.' || dropped.tablename) is not null then
      definition := regexp_replace(pg_get_viewdef(('report.' || dropped.tablename)::regclass),
        ',\s+(\w+\.)?' || dropped.columnnames || '(\s+AS\s+\S+?)?(?=,|\s+FROM)', '', 'gi');
      execute format('drop view report.%I', dropped.tablename);
      execute format('create view report.%I with (security_invoker = true) as %s', dropped.tablename, definition);
      execute format('grant select on report.%I to casewright_report, casewright_report_all', dropped.tablename);
    end if;
  end loop;
end $$;
create or replace function casewright_reach_spread()
  returns trigger language plpgsql security definer set search_path to 'public', 'pg_temp'
as $function$
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
end $function$;
alter table messagerecipient drop constraint messagerecipient_maildeliveryid_fkey;
alter table maildelivery drop column messageid, drop column messagerecipientid;
drop table securelinkread;
drop table securelinkcode;
drop table messageread;
drop view if exists report.securelink;
drop table securelink;
drop view if exists report.mailsuppression;
drop table mailsuppression;
drop view if exists report.mailreceipt;
drop table mailreceipt;
drop view if exists report.mailprocessor;
drop table mailprocessor;
alter table message drop column threadid, drop column internetmessageid, drop column sentdate, drop column mailinboundid,
  drop column receiveddate, drop column filedby, drop column fileddetail, drop column subjectchanged,
  drop column autosubmitted;
drop view if exists report.mailinbound;
drop table mailinbound;
drop view if exists report.messagerecipient;
drop table messagerecipient;
drop function casewright_reach_messagerecipient();
alter table messagetemplate drop column toaddress, drop column ccaddress, drop column bccaddress,
  drop column replytoaddress, drop column tomethod, drop column ccmethod, drop column bccmethod,
  drop column replytomethod, drop column bodylanguage, drop column attachmenttemplates, drop column provider,
  drop column securedelivery, drop column isbulk, drop column variantofid, drop column language;
