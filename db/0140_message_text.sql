-- Messages are found by the words of their subject, text, addresses and files, as documents are: see ADR 88. The firm of
-- a message is copied here: a condition on another table would be computed for every row.
create table messagetext (
  messageid bigint not null constraint messagetext_messageid_fkey references message (messageid) on delete cascade,
  -- 1 has the words for staff, if the message has files that its firm does not see.
  page integer not null default 0,
  reachorganizationid bigint,
  -- How many changes are not in the words yet.
  due integer not null default 1,
  words tsvector not null default '',
  constraint messagetext_pkey primary key (messageid, page),
  constraint messagetext_page_check check (page = 0 or page = 1 and reachorganizationid is null and due = 0)
);
alter table messagetext alter column words set storage main;
create index messagetext_text_idx on messagetext using gin (words, casewright_page_pairs(words))
  with (gin_pending_list_limit = 512);
create index messagetext_due_idx on messagetext (messageid) where due > 0;
alter table messagetext enable row level security;
create policy reach on messagetext for select to casewright_reach
  using (reachorganizationid = current_setting('casewright.firm')::bigint);
grant select on messagetext to casewright_reach;
create trigger messagetext_words_added after insert on messagetext referencing new table as added
  for each statement execute function casewright_note_words();
create trigger messagetext_words_changed after update on messagetext referencing new table as added
  for each statement execute function casewright_note_words();

-- A new message, and one with another text or another firm, are noted here; the words are written later.
create function casewright_message_text_added()
  returns trigger language plpgsql security definer set search_path to 'public', 'pg_temp'
as $function$
begin
  insert into messagetext (messageid, reachorganizationid) select messageid, reachorganizationid from added
    on conflict do nothing;
  return null;
end
$function$;
create trigger message_text_added after insert on message referencing new table as added
  for each statement execute function casewright_message_text_added();

create function casewright_message_text_due()
  returns trigger language plpgsql security definer set search_path to 'public', 'pg_temp'
as $function$
begin
  insert into messagetext (messageid, reachorganizationid) values (new.messageid, new.reachorganizationid)
    on conflict (messageid, page) do update set due = messagetext.due + 1;
  return null;
end
$function$;
create trigger message_text after update on message for each row
  when (new.message is distinct from old.message or new.bodytext is distinct from old.bodytext
    or new.bodyhtml is distinct from old.bodyhtml or new.fromaddress is distinct from old.fromaddress
    or new.fromname is distinct from old.fromname)
  execute function casewright_message_text_due();

create function casewright_message_text_reach()
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
create trigger message_text_reach after update on message for each row
  when (new.reachorganizationid is distinct from old.reachorganizationid)
  execute function casewright_message_text_reach();

-- Recipients, files and links to files are a part of the text. 10,000 recipients are noted once.
create function casewright_message_text_recipients()
  returns trigger language plpgsql security definer set search_path to 'public', 'pg_temp'
as $function$
begin
  update messagetext set due = due + 1 where messageid in (select messageid from changed) and page = 0;
  return null;
end
$function$;
create trigger messagerecipient_text_added after insert on messagerecipient referencing new table as changed
  for each statement execute function casewright_message_text_recipients();
create trigger messagerecipient_text_removed after delete on messagerecipient referencing old table as changed
  for each statement execute function casewright_message_text_recipients();

create function casewright_message_text_part()
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
create trigger messagerecipient_text after update of messagerecipient, name on messagerecipient for each row
  when (new.messagerecipient is distinct from old.messagerecipient or new.name is distinct from old.name)
  execute function casewright_message_text_part();
create trigger attachment_message_text after insert or update of filename, attachment, object, objectid,
    reachorganizationid on attachment
  for each row when (new.object = 'Message') execute function casewright_message_text_part();
create trigger objectlink_message_text after insert on objectlink for each row
  when (new.primaryobject = 'Message' and new.linkedobject = 'Attachment')
  execute function casewright_message_text_part();

drop function casewright_find_text(text[], text, text[], text[], bigint[], integer, integer);

-- Returns pages of documents, or messages, whose words match, of the newest first, at most `most`. `source` is the
-- table. The index tests each of `asked`, and `pairs`: words that follow each other, divided by a blank. Each is a
-- condition of its own, as are the firm and the range of ids: within one condition GIN reads all rows with the rarest
-- word; of several, it skips those that the others lack. `exact` (with phrases) is tested on at most `tested` rows that
-- the index finds. `beginnings` of words in `asked` are replaced by the words that begin so, unless these are too many:
-- the index reads all rows with a beginning, whatever else they must have. Runs as the owner, so that firms' searches
-- use the index, too; it applies the policy of the table. `within`: only these records.
create function casewright_find_text(source text, asked text[], exact text, pairs text[], beginnings text[],
    within bigint[], most integer, tested integer)
  returns table(document bigint, page integer, rank real) language plpgsql stable parallel restricted security definer
  set search_path to 'public', 'pg_temp' set enable_seqscan to 'off'
as $function$
declare
  words_max constant integer := 256;
  key text := case source when 'documentpage' then 'attachmentid' when 'messagetext' then 'messageid' end;
  allowed text;
  newest bigint;
  upper_bound bigint;
  lower_bound bigint;
  conditions text;
  part integer;
  beginning text;
  words text[];
  candidate record;
begin
  if key is null then
    raise exception 'texts are not in %', source;
  end if;
  allowed := casewright_reach_condition(format('public.%I', source)::regclass);
  execute format('select coalesce(max(%I), 0) from %I', key, source) into newest;
  upper_bound := newest + 1;
  foreach beginning in array beginnings loop
    continue when length(beginning) < 4 or beginning ~ '[0-9]';
    words := array(select w.word from documentword w
      where w.word >= beginning collate "C" and w.word < (beginning || chr(1114111)) collate "C"
      limit words_max + 1);
    continue when cardinality(words) > words_max;
    -- Words have letters only. If none begins so, the beginning is no word either.
    asked := array(select replace(each, '''' || beginning || ''':*',
      '(''' || array_to_string(words || beginning, ''' | ''') || ''')') from unnest(asked) each);
  end loop;
  if allowed <> 'true' then
    asked := format('''/f%s''', current_setting('casewright.firm')) || asked;
  end if;
  conditions := array_to_string(
    array(select format('words @@ %L::tsquery', each) from unnest(asked) each)
    || array(select format('casewright_page_pairs(words) @> ''{%s}''::integer[]', casewright_pair_key(pair))
      from unnest(pairs) pair),
    ' and ');
  foreach part in array case when within is null then array[13, 17, 0] else array[0] end loop
    lower_bound := case when part = 0 then 0 else greatest((newest >> part) - 1, 0) << part end;
    continue when lower_bound >= upper_bound;
    for candidate in execute format(
      'select %5$I as id, page,
         case when words @@ %3$L::tsquery then ts_rank(words, %3$L::tsquery) end as rank
       from %6$I
       where %1$s and %2$s and (%4$s) and %5$I >= $1 and %5$I < $2 and ($3 is null or %5$I = any($3))',
      case part when 0 then 'true'
        else format('words @@ ''''''/%1$s%2$s'''' | ''''/%1$s%3$s''''''::tsquery',
          case part when 13 then 'n' else 'm' end, newest >> part, (newest >> part) - 1) end,
      conditions, exact, allowed, key, source)
      using lower_bound, upper_bound, within
    loop
      tested := tested - 1;
      if candidate.rank is not null then
        most := most - 1;
        document := candidate.id;
        page := candidate.page;
        rank := candidate.rank;
        return next;
      end if;
      if most <= 0 or tested <= 0 then return; end if;
    end loop;
    upper_bound := lower_bound;
  end loop;
end
$function$;
grant execute on function casewright_find_text(text, text[], text, text[], text[], bigint[], integer, integer)
  to casewright_reach;
