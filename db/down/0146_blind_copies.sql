-- down: that firms' users do not see blind copies of others, and that names of removed documents find no message
drop trigger objectlink_message_text_removed on objectlink;
drop trigger attachment_message_text_moved on attachment;
drop trigger attachment_message_text_removed on attachment;
drop function casewright_message_text_file();
create or replace function casewright_message_text_part()
  returns trigger language plpgsql security definer set search_path to 'public', 'pg_temp'
as $function$
begin
  update messagetext set due = due + 1 where page = 0 and messageid = case tg_table_name
    when 'messagerecipient' then (to_jsonb(new) ->> 'messageid')::bigint
    when 'attachment' then (to_jsonb(new) ->> 'objectid')::bigint
    else (to_jsonb(new) ->> 'primaryobjectid')::bigint end;
  return null;
end
$function$;
create or replace function casewright_message_text_reach()
  returns trigger language plpgsql security definer set search_path to 'public', 'pg_temp'
as $function$
begin
  update messagetext set reachorganizationid = new.reachorganizationid,
    words = ts_delete(words, coalesce('/f' || old.reachorganizationid, '/f')) || array_to_tsvector(
      case when new.reachorganizationid is null then '{}'::text[] else array['/f' || new.reachorganizationid] end)
    where messageid = new.messageid and page = 0;
  return null;
end
$function$;
drop trigger messagerecipient_text on messagerecipient;
create trigger messagerecipient_text after update of messagerecipient, name on messagerecipient for each row
  when (new.messagerecipient is distinct from old.messagerecipient or new.name is distinct from old.name)
  execute function casewright_message_text_part();
drop trigger messagerecipient_reach on messagerecipient;
create or replace function casewright_reach_messagerecipient()
  returns trigger language plpgsql security definer set search_path to 'public', 'pg_temp'
as $function$
begin
  new.reachorganizationid := (select reachorganizationid from message where messageid = new.messageid);
  return new;
end $function$;
create trigger messagerecipient_reach before insert or update of messageid, reachorganizationid on messagerecipient
  for each row execute function casewright_reach_messagerecipient();
update messagerecipient set reachorganizationid = null where category = 2;
