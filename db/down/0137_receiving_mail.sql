-- down: which records unfiled messages probably belong to, and when senders were last answered automatically
drop index message_subject_start_idx;
drop index mailreceipt_headerhash_idx;
drop index mailreceipt_earlierids_idx;
drop trigger message_thread on message;
drop function casewright_thread_of_message();
create or replace function casewright_reach_attachment()
  returns trigger language plpgsql security definer set search_path to 'public', 'pg_temp'
as $function$
begin
  new.reachorganizationid := casewright_reach_child(new.object, new.objectid, (select extranetenabled from attachmenttemplate where attachmenttemplateid = new.attachmenttemplateid), new.attachmenttemplateid is not null, new.createdpersonid);
  return new;
end $function$;
create or replace function casewright_reach_message()
  returns trigger language plpgsql security definer set search_path to 'public', 'pg_temp'
as $function$
begin
  new.reachorganizationid := casewright_reach_child(new.object, new.objectid, (select extranetenabled from messagetemplate where messagetemplateid = new.messagetemplateid), new.messagetemplateid is not null, new.createdpersonid);
  return new;
end $function$;
create or replace trigger message_reach before insert or update of object, objectid, messagetemplateid,
  reachorganizationid on message for each row execute function casewright_reach_message();
drop trigger mailinbound_configuration on mailinbound;
create trigger mailinbound_configuration after insert or update or delete on mailinbound for each statement
  execute function casewright_configuration();
drop table mailanswer;
drop table messagefile;
drop table messageproposal;
drop table mailboxlease;
