-- A firm's users do not see blind copies that others have sent: only the sender's side does. The recipient of a note is on
-- its own side.
create or replace function casewright_reach_messagerecipient()
  returns trigger language plpgsql security definer set search_path to 'public', 'pg_temp'
as $function$
declare
  sent record;
  firm bigint;
begin
  select reachorganizationid as firm, mailinboundid as mailbox, createdpersonid as author into sent
    from message where messageid = new.messageid;
  firm := sent.firm;
  if new.category = 2 and firm is not null
    and firm is distinct from (select organizationid from person where personid = new.personid)
    and firm is distinct from (case when sent.mailbox is not null
      then (select organizationid from mailinbound where mailinboundid = sent.mailbox)
      else (select organizationid from person where personid = coalesce(new.createdpersonid, sent.author)) end)
  then
    firm := null;
  end if;
  new.reachorganizationid := firm;
  return new;
end $function$;
drop trigger messagerecipient_reach on messagerecipient;
create trigger messagerecipient_reach before insert or update of messageid, reachorganizationid, category, personid
  on messagerecipient for each row execute function casewright_reach_messagerecipient();

drop trigger messagerecipient_text on messagerecipient;
create trigger messagerecipient_text after update on messagerecipient for each row
  when (new.messagerecipient is distinct from old.messagerecipient or new.name is distinct from old.name
    or new.reachorganizationid is distinct from old.reachorganizationid)
  execute function casewright_message_text_part();

-- A firm that begins to see a message finds it once its words have been written without what others alone see: names of
-- documents of a message that no firm saw, and blind copies.
create or replace function casewright_message_text_reach()
  returns trigger language plpgsql security definer set search_path to 'public', 'pg_temp'
as $function$
begin
  update messagetext set reachorganizationid = new.reachorganizationid, due = due + 1,
    words = case when old.reachorganizationid is null
        or exists (select from messagerecipient r where r.messageid = new.messageid and r.category = 2)
      then ''::tsvector
      else ts_delete(words, '/f' || old.reachorganizationid) || array_to_tsvector(
        case when new.reachorganizationid is null then '{}'::text[] else array['/f' || new.reachorganizationid] end)
      end
    where messageid = new.messageid and page = 0;
  return null;
end
$function$;

-- A message is no longer found by the name of a document that was removed or belongs to something else now.
create or replace function casewright_message_text_part()
  returns trigger language plpgsql security definer set search_path to 'public', 'pg_temp'
as $function$
declare
  part jsonb := case when tg_op = 'DELETE' then to_jsonb(old) else to_jsonb(new) end;
begin
  update messagetext set due = due + 1 where page = 0 and messageid = case tg_table_name
    when 'messagerecipient' then (part ->> 'messageid')::bigint
    when 'attachment' then (part ->> 'objectid')::bigint
    else (part ->> 'primaryobjectid')::bigint end;
  return null;
end
$function$;
create function casewright_message_text_file()
  returns trigger language plpgsql security definer set search_path to 'public', 'pg_temp'
as $function$
begin
  update messagetext set due = due + 1 where page = 0 and messageid in (
    select old.objectid where old.object = 'Message'
    union
    select primaryobjectid from objectlink
    where linkedobject = 'Attachment' and linkedobjectid = old.attachmentid and primaryobject = 'Message');
  return null;
end
$function$;
create trigger attachment_message_text_removed after delete on attachment
  for each row execute function casewright_message_text_file();
create trigger attachment_message_text_moved after update on attachment
  for each row when (old.filename is distinct from new.filename or old.attachment is distinct from new.attachment
    or old.object is distinct from new.object or old.objectid is distinct from new.objectid)
  execute function casewright_message_text_file();
create trigger objectlink_message_text_removed after delete on objectlink for each row
  when (old.primaryobject = 'Message' and old.linkedobject = 'Attachment')
  execute function casewright_message_text_part();

update messagerecipient set reachorganizationid = null where category = 2 and reachorganizationid is not null;
-- Messages with blind copies that their firm does not see are no longer found there by these.
update messagetext t set words = ''::tsvector, due = due + 1
where t.page = 0 and t.reachorganizationid is not null and exists (
  select from messagerecipient r
  where r.messageid = t.messageid and r.category = 2 and r.reachorganizationid is null);
