-- size: the whole schema in one place, to be read by table.
-- The present schema: what the migrations of db/ up to 0167_totals_by_change.sql have made together. Written by `npm run schema`,
-- compared with a migrated database by a test. Not executed: change it by a migration.

-- Roles
create role casewright_reach;
create role casewright_report;
create role casewright_report_all;
create role casewright_staging;

-- Collations
create collation casewright_text (provider = icu, locale = 'und-u-ks-level1', deterministic = false);

-- Functions

create function casewright_added_text(tablename text)
  returns text language sql
as $function$
  select format($f$
create or replace function casewright_history_of_%1$s_added() returns trigger language plpgsql security definer set search_path = public, pg_temp as $body$
begin
  insert into recordadded (tablename, ids) select %1$L, ids from (select array(select %1$sid from added) as ids) statement where ids <> '{}';
  return null;
end $body$
$f$, tablename)
$function$;

create function casewright_attachment_first()
  returns trigger language plpgsql set search_path to 'public', 'pg_temp'
as $function$
begin
  -- A restored document brings its own.
  new.fileversion := coalesce(new.fileversion, 1);
  return new;
end $function$;

create function casewright_attachment_hashes()
  returns trigger language plpgsql set search_path to 'public', 'pg_temp'
as $function$
begin
  new.filesha1 := null;
  new.filemd5 := null;
  return new;
end $function$;

create function casewright_attachment_replaced()
  returns trigger language plpgsql security definer set search_path to 'public', 'pg_temp'
as $function$
begin
  insert into documentversion (attachmentid, number, filename, mimetype, filesize, filehash, fileobject, filepath,
    replaceddate, replacedpersonid, scanstate, scandate, scanresult)
  values (old.attachmentid, old.fileversion, old.filename, old.mimetype, old.filesize, old.filehash, old.fileobject,
    old.filepath, new.updateddate, new.updatedpersonid, old.scanstate, old.scandate, old.scanresult);
  new.fileversion := old.fileversion + 1;
  return new;
end $function$;

create function casewright_attachment_scan()
  returns trigger language plpgsql security definer set search_path to 'public', 'pg_temp'
as $function$
declare
  is_other boolean := tg_op = 'UPDATE' and (new.filehash is distinct from old.filehash
    or new.sealed is true and new.filepath is distinct from old.filepath);
begin
  if tg_op = 'INSERT' then
    -- A restored document brings its versions.
    insert into documentscan (attachmentid, number)
      select attachmentid, number from documentversion where attachmentid = new.attachmentid and scanstate = 'Waiting'
      union all select new.attachmentid, new.fileversion where new.scanstate = 'Waiting'
      on conflict do nothing;
    return null;
  end if;
  if is_other or new.scanstate = 'Waiting' and old.scanstate is distinct from 'Waiting' then
    delete from documentscan where attachmentid = new.attachmentid and number = new.fileversion;
    if new.scanstate = 'Waiting' then
      insert into documentscan (attachmentid, number) values (new.attachmentid, new.fileversion);
    end if;
  end if;
  if new.scanstate = 'Infected' and old.scanstate is distinct from 'Infected' then
    delete from documentpage where attachmentid = new.attachmentid and page > 0;
    delete from documentimage where attachmentid = new.attachmentid;
    delete from documentrendition where filehash = new.filehash;
    update documenttext set state = 'Waiting', reason = null, pagecount = null, pagesread = 0, pictures = 0,
      recognized = 0, failures = 0, leaseduntil = null, duedate = null, attempt = attempt + 1,
      updateddate = now()
      where attachmentid = new.attachmentid;
  elsif new.scanstate in ('Clean', 'Released') and old.scanstate is distinct from new.scanstate then
    -- Its text has waited for the verdict.
    update documenttext set duedate = null
      where attachmentid = new.attachmentid and state = 'Waiting' and duedate is not null;
  end if;
  return null;
end $function$;

create function casewright_attachment_sealed()
  returns trigger language plpgsql security definer set search_path to 'public', 'pg_temp'
as $function$
begin
  update history h set old = h.old - 'filehash' - 'filesha1' - 'filemd5'
  where h.tablename = 'attachment' and h.recordid = new.attachmentid and h.old ?| array['filehash', 'filesha1', 'filemd5'];
  delete from documentimage where attachmentid = new.attachmentid;
  delete from documentrendition where filehash = old.filehash;
  update documentversion set sealdue = true where attachmentid = new.attachmentid and not sealed;
  return null;
end $function$;

create function casewright_case_change()
  returns trigger language plpgsql security definer set search_path to 'public', 'pg_temp'
as $function$
begin
  if tg_table_name = 'foreclosure' then perform casewright_case_changed(new.foreclosureid);
  elsif tg_table_name = 'bankruptcy' then perform casewright_case_changed(new.bankruptcyid);
  elsif tg_op = 'DELETE' then perform casewright_case_changed(old.processid);
  else perform casewright_case_changed(new.processid);
  end if;
  return null;
end $function$;

create function casewright_case_change_below()
  returns trigger language plpgsql security definer set search_path to 'public', 'pg_temp'
as $function$
begin
  if tg_op <> 'INSERT' then perform casewright_case_changed_below(old.object, old.objectid); end if;
  if tg_op = 'INSERT' or tg_op = 'UPDATE' and (new.object, new.objectid) is distinct from (old.object, old.objectid) then
    perform casewright_case_changed_below(new.object, new.objectid);
  end if;
  return null;
end $function$;

create function casewright_case_change_of_loan()
  returns trigger language plpgsql security definer set search_path to 'public', 'pg_temp'
as $function$
begin
  if tg_table_name = 'loan' then
    perform casewright_case_changed(p.processid) from process p where p.loanid = new.loanid;
  else
    perform casewright_case_changed(p.processid) from process p join loan l on l.loanid = p.loanid
      where l.propertyid = new.propertyid;
  end if;
  return null;
end $function$;

create function casewright_case_change_of_milestone()
  returns trigger language plpgsql security definer set search_path to 'public', 'pg_temp'
as $function$
begin
  insert into casechange (processid)
    select distinct d.objectid from decision d
    where d.decisiontemplateid = new.decisiontemplateid and d.actualcompletion is null and d.canceleddate is null
      and d.object in ('Foreclosure', 'Bankruptcy');
  return null;
end $function$;

create function casewright_case_change_of_step()
  returns trigger language plpgsql security definer set search_path to 'public', 'pg_temp'
as $function$
declare
  changed bigint := case tg_op when 'DELETE' then old.decisionid else new.decisionid end;
begin
  perform casewright_case_changed(d.objectid) from decision d
    where d.decisionid = changed and d.object in ('Foreclosure', 'Bankruptcy');
  return null;
end $function$;

create function casewright_case_changed(changed bigint)
  returns void language plpgsql security definer set search_path to 'public', 'pg_temp'
as $function$
begin
  if changed is null or current_setting('casewright.changedcase', true) = changed::text then return; end if;
  insert into casechange (processid) values (changed);
  perform set_config('casewright.changedcase', changed::text, true);
end $function$;

create function casewright_case_changed_below(parent text, parentid bigint)
  returns void language plpgsql security definer set search_path to 'public', 'pg_temp'
as $function$
begin
  if parent in ('Foreclosure', 'Bankruptcy') then perform casewright_case_changed(parentid);
  elsif parent = 'Loan' then
    perform casewright_case_changed(p.processid) from process p where p.loanid = parentid;
  end if;
end $function$;

create function casewright_cases_added_to()
  returns trigger language plpgsql security definer set search_path to 'public', 'pg_temp'
as $function$
declare
  noted bigint;
  number bigint;
begin
  with changed as (
    insert into casechange (processid)
      select distinct c.processid
      from (
        select a.objectid as processid from added a where a.object in ('Foreclosure', 'Bankruptcy')
        union all
        select p.processid from added a join process p on p.loanid = a.objectid where a.object = 'Loan'
      ) c
      where c.processid is not null
        and c.processid::text is distinct from current_setting('casewright.changedcase', true)
      returning processid
  )
  select min(processid), count(*) into noted, number from changed;
  if number = 1 then perform set_config('casewright.changedcase', noted::text, true); end if;
  return null;
end $function$;

create function casewright_configuration()
  returns trigger language plpgsql security definer set search_path to 'public', 'pg_temp'
as $function$
begin
  update configurationversion set version = version + 1;
  return null;
end $function$;

create function casewright_custom_boolean(value text)
  returns boolean language sql immutable parallel safe
  return case value when 'true'::text then true when 'false'::text then false else null::boolean end;

create function casewright_custom_date(value text)
  returns text language sql immutable parallel safe
  return case when (value ~ '^[0-9]{4}-[0-9]{2}-[0-9]{2}$'::text) then value else null::text end;

create function casewright_custom_fits(value text, kind text, most integer, words text[])
  returns boolean language sql immutable parallel safe
  return case kind when 'Text'::text then (char_length(value) <= most) when 'Choice'::text then (value = any (words))
  when 'Integer'::text then (casewright_custom_integer(value) is not null) when 'Decimal'::text then
  (casewright_custom_number(value) is not null) when 'Money'::text then ((casewright_custom_number(value) is not null)
  and (value !~ '\.[0-9]{5}'::text)) when 'Boolean'::text then (casewright_custom_boolean(value) is not null) when
  'Date'::text then ((casewright_custom_date(value) is not null) and casewright_custom_isday(value)) when
  'Timestamp'::text then ((casewright_custom_timestamp(value) is not null) and casewright_custom_isday(value) and
  (substr(value, 12, 8) ~ '^([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]$'::text)) else false end;

create function casewright_custom_integer(value text)
  returns integer language sql immutable parallel safe
  return case when (value ~ '^-?[0-9]{1,10}$'::text) then case when (((value)::bigint >= '-2147483647'::integer) and
  ((value)::bigint <= 2147483647)) then ((value)::bigint)::integer else null::integer end else null::integer end;

create function casewright_custom_isday(value text)
  returns boolean language sql immutable parallel safe
  return case when ((value ~ '^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])'::text) and ("left"(value, 4) <>
  '0000'::text)) then (((substr(value, 9, 2))::integer)::numeric <= extract(day from ((make_date(("left"(value,
  4))::integer, (substr(value, 6, 2))::integer, 1) + '1 mon'::interval) - '1 day'::interval))) else false end;

create function casewright_custom_number(value text)
  returns numeric language sql immutable parallel safe
  return case when (value ~ '^-?[0-9]{1,15}(\.[0-9]{1,18})?$'::text) then (value)::numeric else null::numeric end;

create function casewright_custom_timestamp(value text)
  returns text language sql immutable parallel safe
  return case when (value ~ '^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3}Z$'::text) then value else
  null::text end;

create function casewright_decision_hold()
  returns trigger language plpgsql security definer set search_path to 'public', 'pg_temp'
as $function$
begin
  if new.object <> 'Loan' then perform casewright_hold_lock(new.object, new.objectid); end if;
  new.delaycount := coalesce((select count(*) from decisiondelay h join decisiondelaytemplate t using (decisiondelaytemplateid)
    where h.objectid = new.objectid and h.object = new.object and h.object <> 'Loan' and h.decisionid is null and h.actualcompletion is null
      and coalesce(t.decisiontemplateid, new.decisiontemplateid) = new.decisiontemplateid
      and (t.appliesto is null or lower(t.appliesto collate "C") = lower(new.object) or (lower(t.appliesto collate "C") = 'process' and new.object in ('Foreclosure', 'Bankruptcy')))), 0);
  new.delayed := new.delaycount > 0;
  new.delayduration := 0;
  return new;
end $function$;

create function casewright_decisiondelay_hold()
  returns trigger language plpgsql security definer set search_path to 'public', 'pg_temp'
as $function$
declare
  held bigint;
begin
  if tg_op <> 'DELETE' and new.decisionid is null then perform casewright_hold_lock(new.object, new.objectid); end if;
  for held in
    select d.decisionid from decision d where tg_op <> 'DELETE' and d.decisionid = new.decisionid
    union select d.decisionid from decision d where tg_op <> 'INSERT' and d.decisionid = old.decisionid
    union select d.decisionid from decision d where tg_op <> 'DELETE' and new.decisionid is null and d.objectid = new.objectid and d.object = new.object and d.actualcompletion is null and d.canceleddate is null
    union select d.decisionid from decision d where tg_op <> 'INSERT' and old.decisionid is null and d.objectid = old.objectid and d.object = old.object and d.actualcompletion is null and d.canceleddate is null
    order by 1
  loop
    perform casewright_hold_decision(held);
  end loop;
  return null;
end $function$;

create function casewright_decisionstep_hold()
  returns trigger language plpgsql security definer set search_path to 'public', 'pg_temp'
as $function$
begin
  new.delaycount := (select count(*) from decisiondelay h where h.decisiondelayid in (select casewright_holds(new.decisionid)) and h.actualcompletion is null);
  new.delayduration := 0;
  return new;
end $function$;

create function casewright_decisionstep_items()
  returns trigger language plpgsql security definer set search_path to 'public', 'pg_temp'
as $function$
begin
  perform casewright_hold_items(array(
    select distinct task from unnest(array[case when old.object = 'ImportForm' then old.objectid end,
      case when new.object = 'ImportForm' then new.objectid end]) task where task is not null
    union select importformid from importform where decisionstepid = new.decisionstepid and actualcompletion is null and canceleddate is null));
  return null;
end $function$;

create function casewright_document_text_due()
  returns trigger language plpgsql security definer set search_path to 'public', 'pg_temp'
as $function$
begin
  if tg_op = 'INSERT' then
    insert into documenttext (attachmentid, version) values (new.attachmentid, new.filehash);
  elsif new.filehash is distinct from old.filehash or (new.filepath is null) <> (old.filepath is null) then
    delete from documentpage where attachmentid = new.attachmentid and page > 0;
    insert into documenttext (attachmentid, version) values (new.attachmentid, new.filehash)
      on conflict (attachmentid) do update set version = excluded.version, state = 'Waiting', reason = null,
        pagecount = null, pagesread = 0, pictures = 0, recognized = 0, namedue = true, failures = 0,
        leaseduntil = null, duedate = null, updateddate = now();
  else
    update documenttext set namedue = true where attachmentid = new.attachmentid and not namedue;
  end if;
  return null;
end
$function$;

create function casewright_document_text_reach()
  returns trigger language plpgsql security definer set search_path to 'public', 'pg_temp'
as $function$
begin
  update documentpage set reachorganizationid = new.reachorganizationid,
    words = ts_delete(words, coalesce('/f' || old.reachorganizationid, '/f')) || array_to_tsvector(
      case when new.reachorganizationid is null then '{}'::text[] else array['/f' || new.reachorganizationid] end)
    where attachmentid = new.attachmentid;
  return null;
end
$function$;

create function casewright_find_labels(class text, pattern text, other text, most integer)
  returns table(id bigint) language plpgsql stable parallel restricted security definer set search_path to 'public',
  'pg_temp' set max_parallel_workers_per_gather to '0'
as $function$
declare
  source regclass := to_regclass(format('public.%I', class));
  pieces tsquery := casewright_pattern_query(pattern) || casewright_pattern_query(other);
  words text;
  condition text;
  found bigint[];
  newest bigint[];
begin
  if '%' in (left(pattern, 1), left(other, 1)) and pieces is not null then
    words := casewright_words_expression(class) || ' @@ $3';
  end if;
  condition := format(
    '(casewright_fold(%1$I::text) collate "C" like casewright_fold($1) or casewright_fold(%1$I::text) collate "C" like casewright_fold($2))
       and (%2$s) and (%3$s)', class, casewright_reach_condition(source), coalesce(words, 'true'));
  -- Ordered by id, the planner might read the whole table backwards for records that are all old.
  execute format('select array(select %I from %s where %s limit 2000)', class || 'id', source, condition)
    into found using pattern, other, pieces;
  if cardinality(found) = 2000 then
    execute format('select array(select %1$I from %2$s where %3$s and %1$I > (select max(%1$I) - 50000 from %2$s) order by %1$I desc limit $4)',
      class || 'id', source, condition) into newest using pattern, other, pieces, most;
  end if;
  return query select distinct x from unnest(newest || found) x order by x desc limit most;
end
$function$;

create function casewright_find_names(class text, value text, enough integer)
  returns table(id bigint) language plpgsql stable parallel restricted security definer set search_path to 'public',
  'pg_temp' set max_parallel_workers_per_gather to '0'
as $function$
declare
  source regclass := to_regclass(format('public.%I', class));
  same tsquery := casewright_name_query(value, false);
  near tsquery := casewright_name_query(value, true);
  hits integer;
begin
  if same is null or not exists (
    select from pg_index i where i.indexrelid = to_regclass(format('public.%I', class || '_names_idx')) and i.indisvalid
  ) then
    return;
  end if;
  return query execute format('select %1$I from %2$s where casewright_name_keys(%3$I::text) @@ $1 and (%4$s) limit 300',
    class || 'id', source, class, casewright_reach_condition(source)) using same;
  get diagnostics hits = row_count;
  if hits < enough then
    return query execute format('select %1$I from %2$s where casewright_name_keys(%3$I::text) @@ $1 and (%4$s) limit 500',
      class || 'id', source, class, casewright_reach_condition(source)) using near;
  end if;
end
$function$;

create function casewright_find_text(source text, asked text[], exact text, pairs text[], beginnings text[], within
  bigint[], most integer, tested integer)
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

create function casewright_find_words(class text, value text, enough integer)
  returns table(id bigint, is_within boolean) language plpgsql stable parallel restricted security definer set
  search_path to 'public', 'pg_temp' set max_parallel_workers_per_gather to '0'
as $function$
declare
  begins tsquery := casewright_words_query(value);
  contains tsquery := casewright_words_within_query(value);
  source regclass := to_regclass(format('public.%I', class));
  words text := casewright_words_expression(class);
  hits integer;
begin
  if words is null or begins is null then
    return;
  end if;
  -- What begins many labels is in too many words, and these records come first.
  execute format('select count(*) from (select from %s where casewright_fold(%I::text) collate "C" like casewright_fold($1) and (%s) limit $2) l',
    source, class, casewright_reach_condition(source))
    into hits using regexp_replace(value, '([\\%_])', '\\\1', 'g') || '%', enough;
  if hits >= enough then
    return;
  end if;
  return query execute format('select %I, false from %s where %s @@ $1 and (%s) limit 1000',
    class || 'id', source, words, casewright_reach_condition(source)) using begins;
  get diagnostics hits = row_count;
  if hits < enough and contains <> begins then
    return query execute format('select %I, true from %s where %s @@ $1 and (%s) limit 1000',
      class || 'id', source, words, casewright_reach_condition(source)) using contains;
  end if;
end
$function$;

create function casewright_fold(value text)
  returns text language sql immutable parallel safe
  return case when (octet_length(value) = length(value)) then lower((value collate "C")) else
  lower((regexp_replace(normalize((value collate "C"), nfkd), '[\u0300-\u036f]'::text, ''::text, 'g'::text) collate
  "C")) end;

create function casewright_forget_foreign_changes()
  returns boolean language plpgsql
as $function$
declare
  next xid8 := pg_snapshot_xmax(pg_current_snapshot());
  since timestamptz := now() - interval '25 hours';
begin
  if not exists (select from history where xid >= next and at > since) and not exists (select from recordadded where xid >= next) then
    return false;
  end if;
  update history set xid = null where xid is not null and at > since;
  delete from recordadded;
  return true;
end $function$;

create function casewright_history()
  returns trigger language plpgsql security definer set search_path to 'public', 'pg_temp'
as $function$
declare
  before jsonb := to_jsonb(old);
  present jsonb := to_jsonb(new);
  own text := tg_table_name || 'id';
begin
  for i in 0 .. tg_nargs - 1 loop
    before := before - tg_argv[i];
  end loop;
  insert into history (tablename, recordid, change, personid, callid, version, updateddate, updatedpersonid, links, old)
    select tg_table_name, (before ->> own)::bigint, lower(tg_op), nullif(current_setting('casewright.person', true), '')::bigint,
      nullif(current_setting('casewright.call', true), ''), (before ->> 'version')::integer, (before ->> 'updateddate')::timestamptz,
      (before ->> 'updatedpersonid')::bigint,
      case when kept ? 'object' or kept::text ~ 'id": [0-9]' then casewright_history_links(own, case when kept ? 'object' then kept || jsonb_build_object('objectid', before -> 'objectid') else kept end) end,
      case when kept ? 'object' then kept || jsonb_build_object('objectid', before -> 'objectid') else coalesce(kept, '{}') end
    from (
      select jsonb_object_agg(key, value) as kept from jsonb_each(before)
      where tg_op = 'DELETE' or (value is distinct from present -> key and key not in ('updateddate', 'updatedpersonid', 'version', 'reachorganizationid'))
    ) changed
    where kept is not null or before -> 'version' is distinct from present -> 'version';
  return null;
end $function$;

create function casewright_history_compile()
  returns void language plpgsql
as $function$
declare
  part record;
begin
  for part in
    select c.relname as name, pg_get_triggerdef(t.oid) as definition, p.proname as fn
    from pg_trigger t join pg_class c on c.oid = t.tgrelid join pg_proc p on p.oid = t.tgfoid
    where c.relnamespace = 'public'::regnamespace and not t.tgisinternal and t.tgname = c.relname || '_history' and p.proname ~ '^casewright_history(_of_|$)'
  loop
    execute casewright_history_text(part.name);
    if part.fn <> 'casewright_history_of_' || part.name then
      execute regexp_replace(replace(part.definition, 'CREATE TRIGGER', 'CREATE OR REPLACE TRIGGER'), 'EXECUTE FUNCTION (public\.)?casewright_history\w*\(', format('EXECUTE FUNCTION casewright_history_of_%s(', part.name));
    end if;
  end loop;
  for part in
    select c.relname as name
    from pg_trigger t join pg_class c on c.oid = t.tgrelid
    where c.relnamespace = 'public'::regnamespace and not t.tgisinternal and t.tgname = c.relname || '_history'
      -- The rows of a derived type's table have the id of their base row, which is noted.
      and exists (select from pg_attribute a where a.attrelid = c.oid and a.attname = c.relname || 'id' and a.attidentity <> '')
      and not exists (select from pg_trigger o where o.tgrelid = c.oid and o.tgname = c.relname || '_added')
  loop
    execute casewright_added_text(part.name);
    execute format('create trigger %1$I after insert on %2$I referencing new table as added for each statement execute function %3$I()',
      part.name || '_added', part.name, 'casewright_history_of_' || part.name || '_added');
  end loop;
  for part in
    select p.proname as name from pg_proc p where p.pronamespace = 'public'::regnamespace and p.proname like 'casewright\_history\_of\_%'
      and not exists (select from pg_trigger t where t.tgfoid = p.oid)
  loop
    execute format('drop function %I()', part.name);
  end loop;
end $function$;

create function casewright_history_links(own text, old jsonb)
  returns bigint[] language sql immutable
as $function$
  select array_agg(distinct value::bigint) from jsonb_each(old)
    where key like '%id' and jsonb_typeof(value) = 'number' and key not in (own, 'createdpersonid', 'updatedpersonid', 'reachorganizationid')
$function$;

create function casewright_history_partition(month date)
  returns void language plpgsql
as $function$
declare
  first timestamptz := date_trunc('month', month::timestamp) at time zone 'UTC';
  following timestamptz := (date_trunc('month', month::timestamp) + interval '1 month') at time zone 'UTC';
  name text := 'history_' || to_char(month, 'YYYYMM');
begin
  if to_regclass('public.' || name) is null and not exists (select from history_default where at >= first and at < following) then
    execute format('create table %I partition of history for values from (%L) to (%L)', name, first, following);
  end if;
end $function$;

create function casewright_history_text(tablename text)
  returns text language plpgsql stable
as $function$
declare
  compared text := '';
  own text := tablename || 'id';
  has_parent boolean := false;
  tracking text := 'null, null, null';
  same_version text := 'true';
  part record;
begin
  for part in
    select attname as name, attcollation <> 0 as is_text, not exists (
        select from pg_trigger t where t.tgrelid = a.attrelid and t.tgname = tablename || '_history'
          and attname = any(string_to_array(rtrim(encode(t.tgargs, 'escape'), '\000'), '\000'))
      ) as is_kept
    from pg_attribute a where attrelid = tablename::regclass and attnum > 0 and not attisdropped order by attnum
  loop
    if part.name = 'version' then
      tracking := 'old.version, old.updateddate, old.updatedpersonid';
      same_version := 'new.version is not distinct from old.version';
    end if;
    if part.name = 'object' then has_parent := true; end if;
    if not part.is_kept or part.name in (own, 'updateddate', 'updatedpersonid', 'version', 'reachorganizationid') then continue; end if;
    compared := compared || format(E'    if new.%1$I%2$s is distinct from old.%1$I%2$s then kept := kept || jsonb_build_object(%3$L, old.%1$I); end if;\n',
      part.name, case when part.is_text then ' collate "C"' else '' end, part.name);
  end loop;
  return format($f$
create or replace function casewright_history_of_%1$s() returns trigger language plpgsql security definer set search_path = public, pg_temp as $body$
declare
  kept jsonb := '{}';
begin
  if tg_op = 'DELETE' then
    kept := to_jsonb(old);
    for i in 0 .. tg_nargs - 1 loop
      kept := kept - tg_argv[i];
    end loop;
  else
%2$s    if kept = '{}' and %3$s then return null; end if;
%4$s  end if;
  insert into history (tablename, recordid, change, personid, callid, version, updateddate, updatedpersonid, links, old)
    values (%5$L, old.%6$I, lower(tg_op), nullif(current_setting('casewright.person', true), '')::bigint, nullif(current_setting('casewright.call', true), ''),
      %7$s, case when kept ? 'object' or kept::text ~ 'id": [0-9]' then casewright_history_links(%6$L, kept) end, kept);
  return null;
end $body$
$f$,
    tablename, compared, same_version,
    case when has_parent then E'    if kept ? ''object'' then kept := kept || jsonb_build_object(''objectid'', old.objectid); end if;\n' else '' end,
    tablename, own, tracking);
end $function$;

create function casewright_history_unstick(month date)
  returns bigint language plpgsql
as $function$
declare
  first timestamptz := date_trunc('month', month::timestamp) at time zone 'UTC';
  following timestamptz := (date_trunc('month', month::timestamp) + interval '1 month') at time zone 'UTC';
  name text := 'history_' || to_char(month, 'YYYYMM');
  moved bigint;
begin
  execute format('create table %I (like history including defaults including constraints including indexes)', name);
  execute format('with stuck as (delete from history_default where at >= %L and at < %L returning *) insert into %I select * from stuck', first, following, name);
  get diagnostics moved = row_count;
  execute format('alter table history attach partition %I for values from (%L) to (%L)', name, first, following);
  return moved;
end $function$;

create function casewright_hold_decision(wanted bigint)
  returns void language plpgsql security definer set search_path to 'public', 'pg_temp'
as $function$
declare
  held boolean;
begin
  perform 1 from decision where decisionid = wanted for update;
  update decision d set delayed = x.open > 0, delaycount = x.met, delayduration = x.minutes
    from (select count(*) filter (where h.actualcompletion is null) as open, count(*) as met,
        casewright_range_minutes(range_agg(tstzrange(greatest(coalesce(h.actualstart, h.createddate), w.createddate), h.actualcompletion)) filter (where h.actualcompletion > greatest(coalesce(h.actualstart, h.createddate), w.createddate))) as minutes
      from decision w join decisiondelay h on h.decisiondelayid in (select casewright_holds(wanted)) where w.decisionid = wanted) x
    where d.decisionid = wanted and (d.delayed, d.delaycount, d.delayduration) is distinct from (x.open > 0, x.met::integer, x.minutes);
  select delayed into held from decision where decisionid = wanted;
  update decisionstep s set delayed = held, delaycount = x.met, delayduration = x.minutes
    from (select i.decisionstepid, count(h.decisiondelayid) as met,
        casewright_range_minutes(range_agg(tstzrange(greatest(coalesce(h.actualstart, h.createddate), i.createddate), h.actualcompletion)) filter (where h.actualcompletion > greatest(coalesce(h.actualstart, h.createddate), i.createddate))) as minutes
      from decisionstep i left join decisiondelay h on h.decisiondelayid in (select casewright_holds(wanted)) and (h.actualcompletion is null or h.actualcompletion > i.createddate)
      where i.decisionid = wanted and i.actualcompletion is null and i.canceleddate is null group by i.decisionstepid) x
    where s.decisionstepid = x.decisionstepid and (s.delayed, s.delaycount, s.delayduration) is distinct from (held, x.met::integer, x.minutes);
end $function$;

create function casewright_hold_items(tasks bigint[])
  returns void language sql security definer set search_path to 'public', 'pg_temp'
as $function$
  update smartworklistmember i set helddate = x.since
    from (select t as task, (select min(coalesce(h.actualstart, h.createddate)) from decisiondelay h
        where h.decisiondelayid in (select casewright_task_holds(t))) as since
      from unnest(tasks) t) x
    where i.sourceobjectid = x.task and i.sourceobject = 'ImportForm' and i.completiondate is null and i.cancelleddate is null
      and (i.helddate is null) is distinct from (x.since is null)
$function$;

create function casewright_hold_lock(class text, parentid bigint)
  returns void language sql security definer set search_path to 'public', 'pg_temp'
as $function$
  select pg_advisory_xact_lock(hashtextextended('holds ' || class || ' ' || parentid, 7322096)) where class is not null and parentid is not null
$function$;

create function casewright_holds(wanted bigint)
  returns setof bigint language sql stable
as $function$
  select h.decisiondelayid from decisiondelay h where h.decisionid = wanted
  union all
  select h.decisiondelayid from decision d
    join decisiondelay h on h.objectid = d.objectid and h.object = d.object and h.decisionid is null and (h.actualcompletion is null or h.actualcompletion > d.createddate)
    join decisiondelaytemplate t on t.decisiondelaytemplateid = h.decisiondelaytemplateid and coalesce(t.decisiontemplateid, d.decisiontemplateid) = d.decisiontemplateid
      and (t.appliesto is null or lower(t.appliesto collate "C") = lower(d.object) or (lower(t.appliesto collate "C") = 'process' and d.object in ('Foreclosure', 'Bankruptcy')))
  where d.decisionid = wanted and d.object <> 'Loan'
$function$;

create function casewright_importfile_logged()
  returns trigger language plpgsql security definer set search_path to 'public', 'pg_temp'
as $function$
begin
  if exists (select from importlog where importfileid = old.importfileid) then
    raise foreign_key_violation using message = 'the import file has a log', table = 'importlog', constraint = 'importlog_importfileid_fkey';
  end if;
  return old;
end $function$;

create function casewright_importform_draft()
  returns trigger language plpgsql security definer set search_path to 'public', 'pg_temp'
as $function$
begin
  delete from importformdraft d where d.importformid = new.importformid;
  return null;
end $function$;

create function casewright_importform_items()
  returns trigger language plpgsql security definer set search_path to 'public', 'pg_temp'
as $function$
begin
  perform casewright_hold_items(array[new.importformid]);
  return null;
end $function$;

create function casewright_importrun_changed()
  returns trigger language plpgsql security definer set search_path to 'public', 'pg_temp'
as $function$
begin
  insert into recordadded (tablename, ids) select 'importfile', ids from (select array(select importfileid from changed) as ids) statement where ids <> '{}';
  return null;
end $function$;

create function casewright_ledger_add(wanted bigint, total numeric, adjusted numeric)
  returns void language plpgsql
as $function$
begin
  if total = 0 and adjusted = 0 then
    return;
  end if;
  -- With a CalculateMethod, the platform calls that before the commit.
  update ledger l set balance = l.balance + total, balanceadjusted = l.balanceadjusted + adjusted
    where l.ledgerid = wanted and not exists (
      select from ledgertemplate t
      where t.ledgertemplateid = l.ledgertemplateid and btrim(t.calculatemethod) <> '');
  if exists (select from ledgeritem where childledgerid = wanted) then
    perform casewright_ledger_rollup(wanted);
  end if;
end $function$;

create function casewright_ledger_retotal()
  returns trigger language plpgsql security definer set search_path to 'public', 'pg_temp'
as $function$
begin
  perform casewright_ledger_total(new.ledgerid);
  return null;
end $function$;

create function casewright_ledger_rollup(belowid bigint)
  returns void language plpgsql security definer set search_path to 'public', 'pg_temp' set plan_cache_mode to
  'force_generic_plan' set enable_seqscan to 'off'
as $function$
begin
  -- An update of no line would total again, too: its trigger runs once for each statement.
  if not exists (select from ledgeritem i join ledger l on l.ledgerid = i.childledgerid
    where i.childledgerid = belowid and i.amountmoney is distinct from l.balanceadjusted) then
    return;
  end if;
  perform 1 from ledger
    where ledgerid in (select i.ledgerid from ledgeritem i where i.childledgerid = belowid)
    order by ledgerid for no key update;
  update ledgeritem i set amountmoney = l.balanceadjusted
    from ledger l
    where i.childledgerid = belowid and l.ledgerid = belowid and i.amountmoney is distinct from l.balanceadjusted;
end $function$;

create function casewright_ledger_total(wanted bigint)
  returns void language plpgsql security definer set search_path to 'public', 'pg_temp' set plan_cache_mode to
  'force_generic_plan' set enable_seqscan to 'off'
as $function$
declare
  total numeric;
  adjusted numeric;
  template bigint;
begin
  -- Not "for update": the foreign key of each saver's line holds a key share of the row already, and two of them would
  -- wait for one another.
  select ledgertemplateid into template from ledger where ledgerid = wanted for no key update;
  -- The CalculateMethod of its template decides its totals: the platform calls it before the commit.
  if template is not null
    and exists (select from ledgertemplate where ledgertemplateid = template and btrim(calculatemethod) <> '') then
    return;
  end if;
  select coalesce(sum(case when coalesce(i.isdebit, t.isdebit, false) then i.amountmoney else -i.amountmoney end), 0),
    coalesce(sum(case when coalesce(i.isdebit, t.isdebit, false) then i.amountmoney else -i.amountmoney end)
      filter (where coalesce(i.istotaled, t.istotaled, false)), 0)
    into total, adjusted
    from ledgeritem i left join ledgertemplateitem t on t.ledgertemplateitemid = i.ledgertemplateitemid
    where i.ledgerid = wanted and i.amountmoney is not null;
  update ledger set balance = total, balanceadjusted = adjusted
    where ledgerid = wanted and (balance is distinct from total or balanceadjusted is distinct from adjusted);
  perform casewright_ledger_rollup(wanted);
end $function$;

create function casewright_ledgeritem_paid()
  returns trigger language plpgsql security definer set search_path to 'public', 'pg_temp'
as $function$
declare
  applied numeric;
  paid timestamptz;
begin
  select sum(a.amountmoney), max(p.posteddate) into applied, paid
    from ledgeritem a join ledgeritem p on p.childledgerid = a.ledgerid and p.paymentrole = 'Payment'
    where a.referenceledgeritemid = new.ledgeritemid and a.paymentrole = 'Applied' and not exists (
      select from ledgeritem r where r.referenceledgeritemid = p.ledgeritemid and r.paymentrole = 'Reversal');
  if applied is null then
    if new.paiddate is not distinct from old.paiddate
      and (new.childledgerid is not null or coalesce(old.amountmoney, 0) = 0) then
      new.paiddate := null;
    end if;
  elsif new.amountmoney > applied then
    new.paiddate := null;
  else
    new.paiddate := coalesce(new.paiddate, paid);
  end if;
  return new;
end $function$;

create function casewright_ledgeritem_rollup()
  returns trigger language plpgsql security definer set search_path to 'public', 'pg_temp'
as $function$
declare
  below ledger;
begin
  if exists (
    with recursive above(ledgerid) as (
      select new.ledgerid
      union
      select i.ledgerid from ledgeritem i join above a on i.childledgerid = a.ledgerid
    ) select from above where ledgerid = new.childledgerid
  ) then
    raise exception 'a ledger cannot stand below itself' using errcode = 'check_violation', constraint = 'ledgeritem_childledgerid_check', table = 'ledgeritem';
  end if;
  select * into below from ledger where ledgerid = new.childledgerid for no key update;
  if below.currency <> (select currency from ledger where ledgerid = new.ledgerid) then
    raise exception 'the currencies of a line and of the ledger below it differ' using errcode = 'check_violation', constraint = 'ledgeritem_childledgerid_check', table = 'ledgeritem';
  end if;
  new.amountmoney := below.balanceadjusted;
  return new;
end $function$;

create function casewright_ledgeritem_total()
  returns trigger language plpgsql security definer set search_path to 'public', 'pg_temp' set plan_cache_mode to
  'force_generic_plan' set enable_seqscan to 'off'
as $function$
declare
  ids bigint[];
  templatelines bigint[];
  untotaled bigint[] := '{}';
  id bigint;
  isnew boolean;
  total numeric;
  adjusted numeric;
  changes refcursor;
  changed record;
begin
  if tg_op = 'INSERT' then
    -- The next statement must read the reach of its ledgers anew.
    perform set_config('casewright.reach_ledger', '', true);
    select array_agg(distinct ledgerid), array_agg(distinct ledgertemplateitemid)
        filter (where ledgertemplateitemid is not null and (isdebit is null or istotaled is null)),
        coalesce(sum(case when isdebit then amountmoney else -amountmoney end), 0),
        coalesce(sum(case when isdebit then amountmoney else -amountmoney end) filter (where istotaled), 0)
      into ids, templatelines, total, adjusted from made;
  elsif tg_op = 'DELETE' then
    select array_agg(distinct ledgerid), array_agg(distinct ledgertemplateitemid)
        filter (where ledgertemplateitemid is not null and (isdebit is null or istotaled is null)),
        coalesce(sum(case when isdebit then -amountmoney else amountmoney end), 0),
        coalesce(sum(case when isdebit then -amountmoney else amountmoney end) filter (where istotaled), 0)
      into ids, templatelines, total, adjusted from gone;
  else
    select array_agg(distinct ledgerid), array_agg(distinct ledgertemplateitemid)
        filter (where ledgertemplateitemid is not null and (isdebit is null or istotaled is null)),
        coalesce(sum(case when isdebit then amountmoney else -amountmoney end), 0),
        coalesce(sum(case when isdebit then amountmoney else -amountmoney end) filter (where istotaled), 0)
      into ids, templatelines, total, adjusted from (
        select ledgerid, ledgertemplateitemid, isdebit, istotaled, amountmoney from made
        union all select ledgerid, ledgertemplateitemid, isdebit, istotaled, -amountmoney from gone) lines;
  end if;
  if ids is null then
    return null;
  end if;
  foreach id in array ids loop
    -- Not "for update": the foreign key of each saver's line holds a key share of the row already, and two of them
    -- would wait for one another.
    select balance is null or balanceadjusted is null into isnew from ledger where ledgerid = id for no key update;
    if isnew then untotaled := untotaled || id; end if;
  end loop;
  -- The defaults of these template lines do not change until the transaction ends.
  if templatelines is not null then
    foreach id in array templatelines loop
      perform pg_advisory_xact_lock_shared(hashtextextended('defaults of ledger template line ' || id, 7322096));
    end loop;
  end if;
  if cardinality(ids) = 1 and cardinality(untotaled) = 0 and templatelines is null then
    perform casewright_ledger_add(ids[1], total, adjusted);
  elsif cardinality(untotaled) < cardinality(ids) then
    if tg_op = 'INSERT' then
      open changes for
        select i.ledgerid, coalesce(sum(a.amount), 0) as total,
          coalesce(sum(a.amount) filter (where coalesce(i.istotaled, t.istotaled, false)), 0) as adjusted
        from made i left join ledgertemplateitem t on t.ledgertemplateitemid = i.ledgertemplateitemid
          cross join lateral (
            select case when coalesce(i.isdebit, t.isdebit, false) then i.amountmoney else -i.amountmoney end) a(amount)
        group by 1 order by 1;
    elsif tg_op = 'DELETE' then
      open changes for
        select i.ledgerid, coalesce(sum(a.amount), 0) as total,
          coalesce(sum(a.amount) filter (where coalesce(i.istotaled, t.istotaled, false)), 0) as adjusted
        from gone i left join ledgertemplateitem t on t.ledgertemplateitemid = i.ledgertemplateitemid
          cross join lateral (
            select case when coalesce(i.isdebit, t.isdebit, false) then -i.amountmoney else i.amountmoney end) a(amount)
        group by 1 order by 1;
    else
      open changes for
        select i.ledgerid, coalesce(sum(a.amount), 0) as total,
          coalesce(sum(a.amount) filter (where coalesce(i.istotaled, t.istotaled, false)), 0) as adjusted
        from (
          select ledgerid, ledgertemplateitemid, isdebit, istotaled, amountmoney from made
          union all select ledgerid, ledgertemplateitemid, isdebit, istotaled, -amountmoney from gone
        ) i left join ledgertemplateitem t on t.ledgertemplateitemid = i.ledgertemplateitemid
          cross join lateral (
            select case when coalesce(i.isdebit, t.isdebit, false) then i.amountmoney else -i.amountmoney end) a(amount)
        group by 1 order by 1;
    end if;
    loop
      fetch changes into changed;
      exit when not found;
      if not changed.ledgerid = any(untotaled) then
        perform casewright_ledger_add(changed.ledgerid, changed.total, changed.adjusted);
      end if;
    end loop;
    close changes;
  end if;
  foreach id in array untotaled loop perform casewright_ledger_total(id); end loop;
  return null;
end $function$;

create function casewright_ledgertemplate_total()
  returns trigger language plpgsql security definer set search_path to 'public', 'pg_temp'
as $function$
declare
  changed bigint;
begin
  for changed in select ledgerid from ledger where ledgertemplateid = new.ledgertemplateid order by 1
  loop perform casewright_ledger_total(changed); end loop;
  return null;
end $function$;

create function casewright_ledgertemplateitem_total()
  returns trigger language plpgsql security definer set search_path to 'public', 'pg_temp'
as $function$
declare
  changed bigint;
begin
  perform 1 from ledger where ledgerid in (
    select ledgerid from ledgeritem where ledgertemplateitemid = new.ledgertemplateitemid)
    order by ledgerid for no key update;
  perform pg_advisory_xact_lock(
    hashtextextended('defaults of ledger template line ' || new.ledgertemplateitemid, 7322096));
  for changed in
    select distinct ledgerid from ledgeritem where ledgertemplateitemid = new.ledgertemplateitemid order by 1
  loop perform casewright_ledger_total(changed); end loop;
  return null;
end $function$;

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

create function casewright_links_follow(tablename text)
  returns void language plpgsql
as $function$
begin
  execute format('create trigger %I after update on %I for each row when (new.reachorganizationid is distinct from old.reachorganizationid) execute function casewright_reach_links()', tablename || '_reach_links', tablename);
end $function$;

create function casewright_locked_above(belowid bigint)
  returns bigint language sql stable security definer set search_path to 'public', 'pg_temp'
as $function$
  -- No ledger is below itself, so the recursion ends.
  with recursive above (ledgeritemid, ledgerid, islocked) as (
    select ledgeritemid, ledgerid, islocked from ledgeritem where childledgerid = belowid
    union
    select i.ledgeritemid, i.ledgerid, i.islocked from above a join ledgeritem i on i.childledgerid = a.ledgerid
  )
  select min(ledgeritemid) from above where islocked
$function$;

create function casewright_matrix_unsubscribe()
  returns trigger language plpgsql security definer set search_path to 'public', 'pg_temp'
as $function$
begin
  execute format('delete from objectsubscription s using gone where s.object = %L and s.objectid = gone.%I', tg_argv[0], lower(tg_argv[0]) || 'id');
  return null;
end $function$;

create function casewright_members(wanted bigint, day date)
  returns setof collectionmember language sql stable
as $function$
  select m.* from collectionmember m
  where m.collectionid = wanted and (m.effectivedate is null or m.effectivedate <= day) and (m.expiresdate is null or m.expiresdate >= day)
$function$;

create function casewright_message_text_added()
  returns trigger language plpgsql security definer set search_path to 'public', 'pg_temp'
as $function$
begin
  insert into messagetext (messageid, reachorganizationid) select messageid, reachorganizationid from added
    on conflict do nothing;
  return null;
end
$function$;

create function casewright_message_text_due()
  returns trigger language plpgsql security definer set search_path to 'public', 'pg_temp'
as $function$
begin
  insert into messagetext (messageid, reachorganizationid) values (new.messageid, new.reachorganizationid)
    on conflict (messageid, page) do update set due = messagetext.due + 1;
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

create function casewright_message_text_part()
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

create function casewright_message_text_reach()
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

create function casewright_message_text_recipients()
  returns trigger language plpgsql security definer set search_path to 'public', 'pg_temp'
as $function$
begin
  update messagetext set due = due + 1 where messageid in (select messageid from changed) and page = 0;
  return null;
end
$function$;

create function casewright_name_keys(value text)
  returns tsvector language sql immutable parallel safe cost 1000
  return array_to_tsvector(array(select distinct k.k from (select casewright_name_sound(w.w) as s from
  regexp_split_to_table((casewright_fold(casewright_name_keys.value) collate "C"), '[^a-z]+'::text) w(w) where
  (length(w.w) > 1)) sounds, lateral (select ('='::text || sounds.s) as "?column?" union all select ('-'::text ||
  sounds.s) where (length(sounds.s) > 2) union all select (('-'::text || "left"(sounds.s, (i.i - 1))) ||
  substr(sounds.s, (i.i + 1))) from generate_series(1, length(sounds.s)) i(i) where (length(sounds.s) > 3)) k(k)));

create function casewright_name_query(value text, loose boolean)
  returns tsquery language sql immutable parallel safe
  return (select (string_agg(k.k, ' & '::text))::tsquery as string_agg from (select casewright_name_sound(w.w) as s from
  regexp_split_to_table((casewright_fold(casewright_name_query.value) collate "C"), '[^a-z]+'::text) w(w) where
  (length(w.w) > 1)) sounds, lateral (select (('('::text || string_agg(format('''%s'''::text, e.e), ' | '::text)) ||
  ')'::text) as "?column?" from (select ('='::text || sounds.s) as "?column?" union all select ('-'::text || sounds.s)
  where (casewright_name_query.loose and (length(sounds.s) > 2)) union all select (('-'::text || "left"(sounds.s, (i.i -
  1))) || substr(sounds.s, (i.i + 1))) from generate_series(1, length(sounds.s)) i(i) where (casewright_name_query.loose
  and (length(sounds.s) > 3))) e(e)) k(k));

create function casewright_name_sound(word text)
  returns text language sql immutable parallel safe
  return (with spelled as (select
  regexp_replace(regexp_replace(regexp_replace(regexp_replace(regexp_replace(casewright_name_sound.word,
  '^(?:kn|gn|pn)'::text, 'n'::text), '^wr'::text, 'r'::text), 'ph'::text, 'f'::text, 'g'::text), '[cs]?ch'::text,
  'k'::text, 'g'::text), 'c(?=[eiy])'::text, 's'::text, 'g'::text) as w), merged as (select
  translate(regexp_replace(spelled.w, 'ck|c|q'::text, 'k'::text, 'g'::text), 'zvj'::text, 'sfg'::text) as w from
  spelled) select "left"(regexp_replace((regexp_replace("left"(merged.w, 1), '[aeiouy]'::text, 'a'::text) ||
  regexp_replace(substr(merged.w, 2), '[aeiouyhw]'::text, ''::text, 'g'::text)), '(.)\1+'::text, '\1'::text, 'g'::text),
  12) as "left" from merged);

create function casewright_note_words()
  returns trigger language plpgsql security definer set search_path to 'public', 'pg_temp'
as $function$
begin
  -- In order, so that two transactions with the same new words wait for each other and do not lock up.
  insert into documentword
    select distinct found.lexeme collate "C" as word from added, unnest(added.words) found
    where length(found.lexeme) >= 4 and found.lexeme !~ '[0-9/~''\\]'
      and not exists (select from documentword known where known.word = found.lexeme collate "C")
    order by word
    on conflict do nothing;
  return null;
end
$function$;

create function casewright_open(tablename text, reach text)
  returns void language plpgsql
as $function$
declare
  condition text := case reach
    when 'one' then 'reachorganizationid = current_setting(''casewright.firm'')::bigint'
    when 'many' then 'reachorganizationid @> array[current_setting(''casewright.firm'')::bigint]'
    else 'true' end;
begin
  execute format('alter table %I enable row level security', tablename);
  if reach in ('one', 'many') then
    execute format('grant select, insert, update, delete on %I to casewright_reach', tablename);
    execute format('create policy reach on %I to casewright_reach using (%s) with check (%s)', tablename, condition, condition);
    execute format('create policy report on %I for select to casewright_report using (%s)', tablename, condition);
    execute format('create policy report_all on %I for select to casewright_report_all using (true)', tablename);
    perform casewright_links_follow(tablename);
  elsif reach = 'configuration' then
    execute format('grant select on %I to casewright_reach', tablename);
    execute format('create policy reach on %I for select to casewright_reach, casewright_report, casewright_report_all using (true)', tablename);
  end if;
end $function$;

create function casewright_page_pairs(words tsvector)
  returns integer[] language sql immutable parallel safe strict cost 1000 set search_path to 'public', 'pg_temp'
as $function$
  with word as materialized (
    select lexeme, position from unnest(words) found (lexeme, positions, weights), unnest(positions) position)
  select array(
    select casewright_pair_key(lexeme || ' ' || next) from (
      select lexeme, lead(lexeme) over ordered as next, lead(position) over ordered - position as distance
      from word window ordered as (order by position)) neighbors
    where distance = 1
    union all
    -- All words beyond the last position have that position.
    select casewright_pair_key(a.lexeme || ' ' || b.lexeme) from word a, word b
    where a.position = 16382 and b.position = 16383)
$function$;

create function casewright_page_words(written tsvector, others text[], document bigint, firm bigint)
  returns tsvector language sql stable parallel safe set search_path to 'public', 'pg_temp'
  return (written || array_to_tsvector(array(select distinct lexemes.lexeme from (select ('~'::text || stem.stem) as
  "?column?" from unnest(tsvector_to_array(casewright_page_words.written)) word(word), lateral (select
  (ts_lexize('english_stem'::regdictionary, word.word))[1] as ts_lexize) stem(stem) where ((word.word ~
  '^[a-z]+$'::text) and (stem.stem <> word.word)) union all select unnest(casewright_page_words.others) as unnest union
  all values (('/n'::text || (casewright_page_words.document >> 13))), (('/m'::text || (casewright_page_words.document
  >> 17))), (('/f'::text || casewright_page_words.firm))) lexemes(lexeme) where (lexemes.lexeme <> ''::text))));

create function casewright_pair_key(pair text)
  returns integer language sql immutable parallel safe strict
  return (hashtext(pair) & 65535);

create function casewright_past(wanted text, wantedid bigint, instant timestamp with time zone, firstchange bigint, out
  old jsonb, out turn text)
  returns record language plpgsql stable set plan_cache_mode to 'force_generic_plan'
as $function$
declare
  entry record;
  version integer;
  updated timestamptz;
  updatedby bigint;
begin
  old := '{}';
  for entry in
    select h.change, h.old as values, h.version, h.updateddate, h.updatedpersonid from history h
      where h.tablename = wanted and h.recordid = wantedid and h.at > coalesce(instant, '-infinity') and h.historyid >= coalesce(firstchange, 0)
      order by h.historyid desc
  loop
    if entry.change = 'update' then
      old := old || entry.values;
    else
      turn := entry.change;
      old := entry.values;
    end if;
    -- Only tables with a version keep who changed the record last, and when; older entries do not know.
    version := entry.version;
    updated := entry.updateddate;
    updatedby := entry.updatedpersonid;
  end loop;
  if version is not null then old := old || jsonb_build_object('version', version, 'updateddate', updated, 'updatedpersonid', updatedby); end if;
end $function$;

create function casewright_pattern_query(pattern text)
  returns tsquery language sql immutable parallel safe
  return (select (string_agg(format('(''%s'':* | ''-%s'':*)'::text, w.w, w.w), ' & '::text))::tsquery as string_agg from
  regexp_split_to_table((casewright_fold(casewright_pattern_query.pattern) collate "C"),
  '[\x01-\x2f\x3a-\x60\x7b-\x7f]+'::text) w(w) where (((length(w.w) >= 3) and (length(w.w) <= 50)) and (w.w !~
  '^[0-9]'::text)));

create function casewright_range_minutes(ranges tstzmultirange)
  returns numeric language sql immutable set search_path to 'public', 'pg_temp'
as $function$
  select coalesce(round((select sum(extract(epoch from upper(part) - lower(part))) from unnest(ranges) part) / 60, 4), 0)
$function$;

create function casewright_reach_attachment()
  returns trigger language plpgsql security definer set search_path to 'public', 'pg_temp'
as $function$
begin
  if new.object = 'Message' and exists (select from message where messageid = new.objectid and mailinboundid is not null) then
    new.reachorganizationid := (select reachorganizationid from message where messageid = new.objectid);
  else
    new.reachorganizationid := casewright_reach_child(new.object, new.objectid, (select extranetenabled from attachmenttemplate where attachmenttemplateid = new.attachmenttemplateid), new.attachmenttemplateid is not null, new.createdpersonid);
  end if;
  return new;
end $function$;

create function casewright_reach_below(parent text, parentid bigint)
  returns bigint[] language plpgsql stable security definer set search_path to 'public', 'pg_temp'
as $function$
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
end $function$;

create function casewright_reach_child(parent text, parentid bigint, extranet text, templated boolean, madeby bigint)
  returns bigint language plpgsql stable security definer set search_path to 'public', 'pg_temp'
as $function$
declare
  firms bigint[] := casewright_reach_below(parent, parentid);
  maker bigint := (select organizationid from person where personid = madeby);
begin
  if parent = 'ImportFile' or (templated and coalesce(extranet, 'Self') <> 'No' and parent not in ('Loan', 'Property', 'Contact')) then
    return firms[1];
  end if;
  return case when maker = any(firms) then maker end;
end $function$;

create function casewright_reach_collection()
  returns trigger language plpgsql security definer set search_path to 'public', 'pg_temp'
as $function$
begin
  new.reachorganizationid := (select organizationid from person where personid = new.createdpersonid);
  return new;
end $function$;

create function casewright_reach_collectionmember()
  returns trigger language plpgsql security definer set search_path to 'public', 'pg_temp'
as $function$
begin
  new.reachorganizationid := (select reachorganizationid from collection where collectionid = new.collectionid);
  return new;
end $function$;

create function casewright_reach_condition(source regclass)
  returns text language sql stable set search_path to 'public', 'pg_temp'
  return case when (current_setting('role'::text) = any (array['casewright_reach'::text, 'casewright_report'::text]))
  then (select pg_get_expr(p.polqual, p.polrelid) as pg_get_expr from pg_policy p where ((p.polrelid =
  (casewright_reach_condition.source)::oid) and (p.polname = 'reach'::name))) else 'true'::text end;

create function casewright_reach_contact()
  returns trigger language plpgsql security definer set search_path to 'public', 'pg_temp'
as $function$
declare
  firms bigint[];
  maker bigint;
begin
  if new.recordclass = 'Organization' then
    new.reachorganizationid := array[new.contactid];
    return new;
  end if;
  if new.object is null and new.parentcontactid is not null then
    firms := coalesce((select reachorganizationid from contact where contactid = new.parentcontactid), '{}');
  else
    firms := coalesce(casewright_reach_below(new.object, new.objectid), '{}');
  end if;
  if new.contacttemplateid is not null and firms <> '{}' and (select extranetenabled from contacttemplate where contacttemplateid = new.contacttemplateid) = 'No' then
    maker := (select organizationid from person where personid = new.createdpersonid);
    firms := case when maker = any(firms) then array[maker] else '{}' end;
  end if;
  new.reachorganizationid := firms;
  return new;
end $function$;

create function casewright_reach_contact_changed()
  returns trigger language plpgsql security definer set search_path to 'public', 'pg_temp'
as $function$
begin
  update contactmethod set reachorganizationid = new.reachorganizationid where contactid = new.contactid;
  update contact set reachorganizationid = new.reachorganizationid where object = 'Contact' and objectid = new.contactid;
  update contact set reachorganizationid = new.reachorganizationid where parentcontactid = new.contactid and object is null;
  return null;
end $function$;

create function casewright_reach_contactmethod()
  returns trigger language plpgsql security definer set search_path to 'public', 'pg_temp'
as $function$
begin
  new.reachorganizationid := coalesce((select reachorganizationid from contact where contactid = new.contactid), '{}');
  return new;
end $function$;

create function casewright_reach_decision()
  returns trigger language plpgsql security definer set search_path to 'public', 'pg_temp'
as $function$
begin
  new.reachorganizationid := casewright_reach_child(new.object, new.objectid, 'Self', new.decisiontemplateid is not null, new.createdpersonid);
  return new;
end $function$;

create function casewright_reach_decisiondelay()
  returns trigger language plpgsql security definer set search_path to 'public', 'pg_temp'
as $function$
begin
  new.reachorganizationid := casewright_reach_child(new.object, new.objectid, (select extranetenabled from decisiondelaytemplate where decisiondelaytemplateid = new.decisiondelaytemplateid), new.decisiondelaytemplateid is not null, new.createdpersonid);
  return new;
end $function$;

create function casewright_reach_decisionstep()
  returns trigger language plpgsql security definer set search_path to 'public', 'pg_temp'
as $function$
begin
  new.reachorganizationid := (select reachorganizationid from decision where decisionid = new.decisionid);
  return new;
end $function$;

create function casewright_reach_delivery()
  returns trigger language plpgsql security definer set search_path to 'public', 'pg_temp'
as $function$
begin
  new.reachorganizationid := (select reachorganizationid from attachment where attachmentid = new.attachmentid);
  return new;
end $function$;

create function casewright_reach_document_deliveries()
  returns trigger language plpgsql security definer set search_path to 'public', 'pg_temp'
as $function$
begin
  update delivery set reachorganizationid = null where attachmentid = new.attachmentid;
  return null;
end $function$;

create function casewright_reach_importform()
  returns trigger language plpgsql security definer set search_path to 'public', 'pg_temp'
as $function$
begin
  new.reachorganizationid := casewright_reach_child(new.object, new.objectid, (select extranetenabled from importformtemplate where importformtemplateid = new.importformtemplateid), new.importformtemplateid is not null, new.createdpersonid);
  return new;
end $function$;

create function casewright_reach_ledger()
  returns trigger language plpgsql security definer set search_path to 'public', 'pg_temp'
as $function$
begin
  new.reachorganizationid := casewright_reach_child(new.object, new.objectid, (select extranetenabled from ledgertemplate where ledgertemplateid = new.ledgertemplateid), new.ledgertemplateid is not null, new.createdpersonid);
  return new;
end $function$;

create function casewright_reach_ledgeritem()
  returns trigger language plpgsql security definer set search_path to 'public', 'pg_temp'
as $function$
begin
  if tg_op = 'INSERT' and current_setting('casewright.reach_ledger', true) = new.ledgerid::text then
    new.reachorganizationid := nullif(current_setting('casewright.reach_firm', true), '')::bigint;
    return new;
  end if;
  new.reachorganizationid := (select reachorganizationid from ledger where ledgerid = new.ledgerid);
  if tg_op = 'INSERT' then
    perform set_config('casewright.reach_ledger', new.ledgerid::text, true),
      set_config('casewright.reach_firm', coalesce(new.reachorganizationid::text, ''), true);
  end if;
  return new;
end $function$;

create function casewright_reach_licenses()
  returns trigger language plpgsql security definer set search_path to 'public', 'pg_temp'
as $function$
begin
  update professionallicense set objectid = objectid
    where object = coalesce(tg_argv[0], to_jsonb(new) ->> 'recordclass') and objectid = (to_jsonb(new) ->> (tg_table_name || 'id'))::bigint;
  return null;
end $function$;

create function casewright_reach_links()
  returns trigger language plpgsql security definer set search_path to 'public', 'pg_temp'
as $function$
declare
  changed bigint := (to_jsonb(new) ->> (tg_table_name || 'id'))::bigint;
begin
  update objectlink set reachorganizationid = '{}' where primaryobjectid = changed and lower(primaryobject) = tg_table_name or linkedobjectid = changed and lower(linkedobject) = tg_table_name;
  return null;
end $function$;

create function casewright_reach_loan(wanted bigint)
  returns void language plpgsql security definer set search_path to 'public', 'pg_temp'
as $function$
declare
  firms bigint[] := coalesce((select array_agg(distinct p.organizationid order by p.organizationid)
    from process p join loan l on l.loanid = p.loanid
    where p.loanid = wanted and (p.loanassigned or l.assignmentstatus = 'Waiting') and p.organizationid is not null), '{}');
begin
  update loan set reachorganizationid = firms where loanid = wanted and reachorganizationid is distinct from firms;
end $function$;

create function casewright_reach_loan_changed()
  returns trigger language plpgsql security definer set search_path to 'public', 'pg_temp'
as $function$
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
end $function$;

create function casewright_reach_message()
  returns trigger language plpgsql security definer set search_path to 'public', 'pg_temp'
as $function$
declare
  firms bigint[];
begin
  new.reachorganizationid := casewright_reach_child(new.object, new.objectid, (select extranetenabled from messagetemplate where messagetemplateid = new.messagetemplateid), new.messagetemplateid is not null, new.createdpersonid);
  if new.mailinboundid is not null and new.object is not null then
    firms := casewright_reach_below(new.object, new.objectid);
    new.reachorganizationid := coalesce(
      (select organizationid from mailinbound where mailinboundid = new.mailinboundid and organizationid = any(firms)),
      (select reachorganizationid from message where messageid = new.parentmessageid and reachorganizationid = any(firms)),
      new.reachorganizationid);
  end if;
  return new;
end $function$;

create function casewright_reach_messagerecipient()
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

create function casewright_reach_new()
  returns trigger language plpgsql security definer set search_path to 'public', 'pg_temp'
as $function$
declare
  firm bigint := coalesce(nullif(current_setting('casewright.firm', true), ''), '0')::bigint;
begin
  new.reachorganizationid := case when firm > 0 then array[firm] else '{}' end;
  return new;
end $function$;

create function casewright_reach_objectlink()
  returns trigger language plpgsql security definer set search_path to 'public', 'pg_temp'
as $function$
declare
  one bigint[] := casewright_reach_of(new.primaryobject, new.primaryobjectid);
  other bigint[] := casewright_reach_of(new.linkedobject, new.linkedobjectid);
begin
  new.reachorganizationid := case
    when one is null then coalesce(other, '{}')
    when other is null then one
    else array(select unnest(one) intersect select unnest(other) order by 1) end;
  return new;
end $function$;

create function casewright_reach_of(class text, recordid bigint)
  returns bigint[] language plpgsql stable security definer set search_path to 'public', 'pg_temp'
as $function$
declare
  tablename text := lower(class);
  kind text := (select format_type(atttypid, atttypmod) from pg_attribute where attrelid = to_regclass(format('public.%I', lower(class))) and attname = 'reachorganizationid' and not attisdropped);
  firms bigint[];
begin
  if kind is null then
    return case when has_table_privilege('casewright_reach', to_regclass(format('public.%I', tablename)), 'select') then null else '{}' end;
  end if;
  execute format('select %s from public.%I where %I = $1', case kind when 'bigint' then 'array_remove(array[reachorganizationid], null)' else 'reachorganizationid' end, tablename, tablename || 'id')
    into firms using recordid;
  return coalesce(firms, '{}');
end $function$;

create function casewright_reach_payment()
  returns trigger language plpgsql security definer set search_path to 'public', 'pg_temp'
as $function$
declare
  -- As a document, because no table has all of these columns.
  own jsonb := to_jsonb(new) - (tg_table_name || 'id');
begin
  new.reachorganizationid := case
    when own ->> 'paymentid' is not null then
      (select reachorganizationid from payment where paymentid = (own ->> 'paymentid')::bigint)
    when own ->> 'ledgerid' is not null then
      (select reachorganizationid from ledger where ledgerid = (own ->> 'ledgerid')::bigint)
    when own ->> 'paymentmethodid' is not null then
      (select reachorganizationid from paymentmethod where paymentmethodid = (own ->> 'paymentmethodid')::bigint)
    -- Only of these a trigger below notes a change of firms.
    when own ->> 'object' in ('Foreclosure', 'Bankruptcy', 'Loan', 'Property', 'Contact', 'Organization') then
      casewright_reach_child(own ->> 'object', (own ->> 'objectid')::bigint, null, false, new.createdpersonid)
  end;
  return new;
end $function$;

create function casewright_reach_payments()
  returns trigger language plpgsql security definer set search_path to 'public', 'pg_temp'
as $function$
declare
  parent jsonb := to_jsonb(new);
  parentid bigint := (parent ->> (tg_table_name || 'id'))::bigint;
  class text := coalesce(parent ->> 'recordclass', tg_argv[0]);
begin
  case tg_table_name
    when 'ledger' then
      update payment set reachorganizationid = null where ledgerid = parentid;
      update paymentsubscription set reachorganizationid = null where ledgerid = parentid;
    when 'paymentmethod' then
      update payment set reachorganizationid = null where paymentmethodid = parentid and ledgerid is null;
      update paymentsubscription set reachorganizationid = null where paymentmethodid = parentid and ledgerid is null;
    when 'payment' then
      update paymentrefund set reachorganizationid = null where paymentid = parentid;
      update paymentdispute set reachorganizationid = null where paymentid = parentid;
    else
      update paymentcustomer set reachorganizationid = null where object = class and objectid = parentid;
      update paymentmethod set reachorganizationid = null where object = class and objectid = parentid;
      update payment set reachorganizationid = null where object = class and objectid = parentid and ledgerid is null;
  end case;
  return null;
end $function$;

create function casewright_reach_person_changed()
  returns trigger language plpgsql security definer set search_path to 'public', 'pg_temp'
as $function$
begin
  update contact set objectid = objectid where object = 'Person' and objectid = new.personid;
  return null;
end $function$;

create function casewright_reach_process_changed()
  returns trigger language plpgsql security definer set search_path to 'public', 'pg_temp'
as $function$
begin
  if tg_op = 'INSERT' then
    perform casewright_reach_loan(l.loanid) from loan l
      where l.loanid = new.loanid and (new.loanassigned or l.assignmentstatus = 'Waiting')
        and not new.organizationid = any(l.reachorganizationid);
  elsif tg_op = 'UPDATE' and new.loanid is not null then
    perform casewright_reach_loan(new.loanid);
  end if;
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

create function casewright_reach_professionallicense()
  returns trigger language plpgsql security definer set search_path to 'public', 'pg_temp'
as $function$
begin
  new.reachorganizationid := coalesce(casewright_reach_below(new.object, new.objectid), '{}');
  return new;
end $function$;

create function casewright_reach_property(wanted bigint)
  returns void language plpgsql security definer set search_path to 'public', 'pg_temp'
as $function$
declare
  firms bigint[] := coalesce((select array_agg(distinct f order by f) from loan, unnest(loan.reachorganizationid) f where loan.propertyid = wanted), '{}');
begin
  update property set reachorganizationid = firms where propertyid = wanted and reachorganizationid is distinct from firms;
end $function$;

create function casewright_reach_publicrecord()
  returns trigger language plpgsql security definer set search_path to 'public', 'pg_temp'
as $function$
begin
  new.reachorganizationid := coalesce((select reachorganizationid from loan where loanid = new.loanid), '{}');
  return new;
end $function$;

create function casewright_reach_score()
  returns trigger language plpgsql security definer set search_path to 'public', 'pg_temp'
as $function$
begin
  new.reachorganizationid := casewright_reach_child(new.object, new.objectid, (select extranetenabled from scoretemplate where scoretemplateid = new.scoretemplateid), new.scoretemplateid is not null, new.createdpersonid);
  return new;
end $function$;

create function casewright_reach_scoreitem()
  returns trigger language plpgsql security definer set search_path to 'public', 'pg_temp'
as $function$
begin
  new.reachorganizationid := (select reachorganizationid from score where scoreid = new.scoreid);
  return new;
end $function$;

create function casewright_reach_spread()
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
    when 'Message' then update messagerecipient set reachorganizationid = null where messageid = parentid;
    when 'Decision' then update decisionstep set reachorganizationid = null where decisionid = parentid;
    else null;
  end case;
  return null;
end $function$;

create function casewright_reach_template()
  returns trigger language plpgsql security definer set search_path to 'public', 'pg_temp'
as $function$
begin
  execute format('update %I set reachorganizationid = null where %I = $1', tg_argv[0], tg_table_name || 'id') using (to_jsonb(new) ->> (tg_table_name || 'id'))::bigint;
  return null;
end $function$;

create function casewright_report(tablename text, columns text)
  returns void language plpgsql
as $function$
begin
  execute format('grant select (%s) on %I to casewright_report, casewright_report_all', columns, tablename);
  execute format('grant select on report.%I to casewright_report, casewright_report_all', tablename);
end $function$;

create function casewright_scoreitem_nested()
  returns trigger language plpgsql security definer set search_path to 'public', 'pg_temp'
as $function$
begin
  perform 1 from score where scoreid in (new.scoreid, new.childscoreid) order by scoreid for no key update;
  if exists (
    with recursive above(scoreid) as (
      select new.scoreid
      union
      select i.scoreid from scoreitem i join above a on i.childscoreid = a.scoreid
    ) select from above where scoreid = new.childscoreid
  ) then
    raise exception 'a score cannot stand below itself' using errcode = 'check_violation', constraint = 'scoreitem_childscoreid_check', table = 'scoreitem';
  end if;
  return new;
end $function$;

create function casewright_scoreitem_sealed()
  returns trigger language plpgsql security definer set search_path to 'public', 'pg_temp'
as $function$
declare
  shown text;
begin
  select mask into shown from scoreitemtemplate where scoreitemtemplateid = new.scoreitemtemplateid for share;
  if shown is null then return new; end if;
  shown := replace(replace(replace(replace(shown, '%', '\%'), '_', '\_'), '#', '_'), '*', '***');
  if num_nonnulls(new.scoremoney, new.scoreint, new.scorefloat, new.scoreboolean, new.scoredate) > 0 or (new.scorechar collate "C") not like shown then
    raise exception 'the value has a mask' using errcode = 'check_violation', constraint = 'scoreitem_sealed_check', table = 'scoreitem';
  end if;
  return new;
end $function$;

create function casewright_scoreitemtemplate_values()
  returns trigger language plpgsql security definer set search_path to 'public', 'pg_temp'
as $function$
begin
  if exists (select from scoreitem where scoreitemtemplateid = new.scoreitemtemplateid) then
    raise exception 'the item has values' using errcode = 'check_violation', constraint = 'scoreitemtemplate_values_check', table = 'scoreitemtemplate';
  end if;
  return new;
end $function$;

create function casewright_smartworklistmember_hold()
  returns trigger language plpgsql security definer set search_path to 'public', 'pg_temp'
as $function$
begin
  new.helddate := (select min(coalesce(h.actualstart, h.createddate)) from decisiondelay h
    where h.decisiondelayid in (select casewright_task_holds(new.sourceobjectid)));
  return new;
end $function$;

create function casewright_task_draft(wanted bigint)
  returns table(answers jsonb, personid bigint, updateddate timestamp with time zone) language sql stable security
  definer set search_path to 'public', 'pg_temp'
as $function$
  select d.answers, d.personid, d.updateddate from importformdraft d join importform t on t.importformid = d.importformid
  where d.importformid = wanted
    and coalesce(nullif(current_setting('casewright.firm', true), ''), '0') in ('0', t.reachorganizationid::text)
$function$;

create function casewright_task_holds(wanted bigint)
  returns setof bigint language sql stable security definer set search_path to 'public', 'pg_temp'
as $function$
  select distinct h.decisiondelayid from (
      select s.decisionstepid from decisionstep s where s.object = 'ImportForm' and s.objectid = wanted
      union select i.decisionstepid from importform i where i.importformid = wanted) waiting
    join decisionstep s on s.decisionstepid = waiting.decisionstepid and s.actualcompletion is null and s.canceleddate is null and coalesce(s.enforcedelay, true)
    join decision d on d.decisionid = s.decisionid and d.delayed and d.actualcompletion is null and d.canceleddate is null
    join decisiondelay h on h.decisiondelayid in (select casewright_holds(d.decisionid)) and h.actualcompletion is null
$function$;

create function casewright_thread_of_message()
  returns trigger language plpgsql set search_path to 'public', 'pg_temp'
as $function$
begin
  new.threadid := coalesce(
    (select coalesce(threadid, messageid) from message where messageid = new.parentmessageid), new.messageid);
  return new;
end $function$;

create function casewright_words(value text)
  returns tsvector language sql immutable parallel safe cost 1000
  return array_to_tsvector(array(select case n.n when 0 then ('~'::text || reverse(words.w)) when 1 then words.w else
  ('-'::text || substr(words.w, n.n)) end as "case" from (select "left"(x.x, 60) as w, (x.x ~ '[0-9]'::text) as
  has_digits from regexp_split_to_table((casewright_fold(casewright_words.value) collate "C"),
  '[\x01-\x2f\x3a-\x60\x7b-\x7f]+'::text) x(x) where (x.x <> ''::text)) words, lateral generate_series(case when
  (words.has_digits and (length(words.w) > 3)) then 0 else 1 end, greatest((length(words.w) - 2), 1)) n(n) where ((n.n <
  2) or (not words.has_digits) or (substr(words.w, n.n, 1) !~ '[0-9]'::text) or (substr(words.w, (n.n - 1), 1) !~
  '[0-9]'::text))));

create function casewright_words_expression(class text)
  returns text language sql stable set search_path to 'public', 'pg_temp'
  return (select pg_get_expr(i.indexprs, i.indrelid) as pg_get_expr from pg_index i where ((i.indexrelid =
  (to_regclass(format('public.%I'::text, (casewright_words_expression.class || '_words_idx'::text))))::oid) and
  i.indisvalid));

create function casewright_words_query(value text)
  returns tsquery language sql immutable parallel safe
  return (select (string_agg(case when (w.w ~ '^[0-9]{3,}$'::text) then format('(%s:* | ''~%s'':*)'::text, w.w,
  reverse(w.w)) else format('''%s'':*'::text, w.w) end, ' & '::text))::tsquery as string_agg from
  regexp_split_to_table((casewright_fold(casewright_words_query.value) collate "C"),
  '[\x01-\x2f\x3a-\x60\x7b-\x7f]+'::text) w(w) where (w.w <> ''::text));

create function casewright_words_within_query(value text)
  returns tsquery language sql immutable parallel safe
  return (select (string_agg(case when (w.w ~ '^[0-9]{3,}$'::text) then format('(%s:* | ''-%s'':* | ''~%s'':*)'::text,
  w.w, w.w, reverse(w.w)) when (length(w.w) > 2) then format('(''%s'':* | ''-%s'':*)'::text, w.w, w.w) else
  format('''%s'':*'::text, w.w) end, ' & '::text))::tsquery as string_agg from
  regexp_split_to_table((casewright_fold(casewright_words_within_query.value) collate "C"),
  '[\x01-\x2f\x3a-\x60\x7b-\x7f]+'::text) w(w) where (w.w <> ''::text));

-- Table apikey
create table apikey (
  apikeyid bigint generated always as identity not null,
  apikey character varying(255) collate casewright_text,
  status character varying(100) collate casewright_text,
  apikeytype character varying(100) collate casewright_text,
  personid bigint not null,
  keyhash character varying(64) collate "C",
  keystart character varying(20) collate "C",
  expires timestamp with time zone,
  allowednetworks character varying(2000) collate "C",
  ratelimitperminute integer,
  revokeddate timestamp with time zone,
  createddate timestamp with time zone default now() not null,
  createdpersonid bigint,
  updateddate timestamp with time zone default now() not null,
  updatedpersonid bigint,
  version integer default 1 not null,
  constraint apikey_pkey primary key (apikeyid),
  constraint apikey_personid_fkey foreign key (personid) references person(personid)
);
create unique index apikey_keyhash_key on apikey (keyhash);
create index apikey_personid_idx on apikey (personid);
create trigger apikey_added after insert on apikey referencing new table as added for each statement execute function
  casewright_history_of_apikey_added();
create trigger apikey_history after delete or update on apikey for each row execute function
  casewright_history_of_apikey('keyhash');
alter table apikey enable row level security;

-- Table apikeyuse
create table apikeyuse (
  apikeyid bigint not null,
  lastused timestamp with time zone not null,
  address character varying(60) collate "C",
  constraint apikeyuse_pkey primary key (apikeyid),
  constraint apikeyuse_apikeyid_fkey foreign key (apikeyid) references apikey(apikeyid) on delete cascade
);

-- Table attachment
create table attachment (
  attachmentid bigint generated always as identity not null,
  attachment character varying(255) collate casewright_text,
  status character varying(100) collate casewright_text,
  attachmenttype character varying(100) collate casewright_text,
  object character varying(60) collate "C",
  objectid bigint,
  attachmenttemplateid bigint,
  filename character varying(255) collate casewright_text,
  description text collate casewright_text,
  mimetype character varying(255) collate "C",
  filesize integer,
  filehash character varying(64) collate "C",
  fileobject character varying(100) collate casewright_text,
  filepath character varying(1000) collate "C",
  sealed boolean,
  xmldata text,
  createddate timestamp with time zone default now() not null,
  createdpersonid bigint,
  updateddate timestamp with time zone default now() not null,
  updatedpersonid bigint,
  version integer default 1 not null,
  reachorganizationid bigint,
  custom jsonb,
  fileversion integer default 1 not null,
  filesha1 character varying(40) collate "C",
  filemd5 character varying(32) collate "C",
  scanstate character varying(8) collate casewright_text,
  scandate timestamp with time zone,
  scanresult character varying(300) collate casewright_text,
  constraint attachment_pkey primary key (attachmentid),
  constraint attachment_custom_check check (jsonb_typeof(custom) = 'object'::text),
  constraint attachment_scanstate_check check (scanstate::text = any (array['Waiting'::character varying,
    'Clean'::character varying, 'Infected'::character varying, 'TooLarge'::character varying, 'Failed'::character varying,
    'Released'::character varying]::text[])),
  constraint attachment_attachmenttemplateid_fkey foreign key (attachmenttemplateid) references
    attachmenttemplate(attachmenttemplateid)
);
create index attachment_attachmenttemplateid_idx on attachment (attachmenttemplateid);
create index attachment_filehash_idx on attachment (filehash);
create index attachment_fileobject_idx on attachment (fileobject) where ((fileobject)::text <> 'Local'::text);
create index attachment_filepath_idx on attachment (filepath);
create index attachment_label_idx on attachment (casewright_fold((attachment)::text) collate "C");
create index attachment_object_idx on attachment (objectid, object);
create index attachment_reach_idx on attachment (reachorganizationid, createddate);
create index attachment_scanstate_idx on attachment (scanstate, attachmentid) where ((scanstate)::text <>
  'Clean'::text);
create index attachment_unscanned_idx on attachment (attachmentid) where ((scanstate is null) and (filepath is not
  null));
create index attachment_words_idx on attachment using gin (casewright_words(((coalesce((attachment)::text, ''::text) ||
  ' '::text) || coalesce((filename)::text, ''::text))));
create trigger attachment_added after insert on attachment referencing new table as added for each statement execute
  function casewright_history_of_attachment_added();
create trigger attachment_first before insert on attachment for each row execute function casewright_attachment_first();
create trigger attachment_hashes before update on attachment for each row when ((new.filesha1 is not null or new.filemd5
  is not null) and (new.sealed is true or old.filehash::text is distinct from new.filehash::text)) execute function
  casewright_attachment_hashes();
create trigger attachment_history after delete or update on attachment for each row when
  (coalesce(current_setting('casewright.reseal'::text, true), ''::text) <> 'on'::text) execute function
  casewright_history_of_attachment();
create trigger attachment_message_text after insert or update of filename, attachment, object, objectid,
  reachorganizationid on attachment for each row when (new.object::text = 'Message'::text) execute function
  casewright_message_text_part();
create trigger attachment_message_text_moved after update on attachment for each row when (old.filename::text is
  distinct from new.filename::text or old.attachment::text is distinct from new.attachment::text or old.object::text is
  distinct from new.object::text or old.objectid is distinct from new.objectid) execute function
  casewright_message_text_file();
create trigger attachment_message_text_removed after delete on attachment for each row execute function
  casewright_message_text_file();
create trigger attachment_reach before insert or update of object, objectid, attachmenttemplateid, reachorganizationid
  on attachment for each row execute function casewright_reach_attachment();
create trigger attachment_reach_deliveries after update on attachment for each row when (new.reachorganizationid is
  distinct from old.reachorganizationid) execute function casewright_reach_document_deliveries();
create trigger attachment_reach_links after update on attachment for each row when (new.reachorganizationid is distinct
  from old.reachorganizationid) execute function casewright_reach_links();
create trigger attachment_reach_spread after update on attachment for each row when (new.reachorganizationid is distinct
  from old.reachorganizationid) execute function casewright_reach_spread('Attachment');
create trigger attachment_reach_spread_licenses after update on attachment for each row when (new.reachorganizationid is
  distinct from old.reachorganizationid) execute function casewright_reach_licenses('Attachment');
create trigger attachment_replaced before update of filepath on attachment for each row when (old.filepath is not null
  and old.filepath::text is distinct from new.filepath::text and old.sealed is not true and new.sealed is not true and
  old.filehash::text is distinct from new.filehash::text) execute function casewright_attachment_replaced();
create trigger attachment_scan after update of scanstate, filehash, filepath, sealed on attachment for each row when
  (new.scanstate is not null or old.scanstate is not null or new.sealed) execute function casewright_attachment_scan();
create trigger attachment_scan_added after insert on attachment for each row when (new.scanstate is not null or
  new.fileversion > 1) execute function casewright_attachment_scan();
create trigger attachment_sealed_hash after update on attachment for each row when (new.sealed and old.sealed is
  distinct from true) execute function casewright_attachment_sealed();
create trigger attachment_text after insert or update of filehash, filepath, filename, attachment, attachmenttype,
  attachmenttemplateid, sealed on attachment for each row execute function casewright_document_text_due();
create trigger attachment_text_reach after update on attachment for each row when (new.reachorganizationid is distinct
  from old.reachorganizationid) execute function casewright_document_text_reach();
alter table attachment enable row level security;
create policy reach on attachment for all to casewright_reach using ((reachorganizationid =
  (current_setting('casewright.firm'::text))::bigint)) with check ((reachorganizationid =
  (current_setting('casewright.firm'::text))::bigint));
create policy report on attachment for select to casewright_report using ((reachorganizationid =
  (current_setting('casewright.firm'::text))::bigint));
create policy report_all on attachment for select to casewright_report_all using (true);
grant delete, insert, select, update on attachment to casewright_reach;
grant select (attachmentid, attachment, status, attachmenttype, object, objectid, attachmenttemplateid, filename,
  description, mimetype, filesize, filehash, fileobject, filepath, sealed, xmldata, createddate, createdpersonid,
  updateddate, updatedpersonid, version, custom, fileversion, filesha1, filemd5, scanstate, scandate, scanresult) on
  attachment to casewright_report;
grant select (attachmentid, attachment, status, attachmenttype, object, objectid, attachmenttemplateid, filename,
  description, mimetype, filesize, filehash, fileobject, filepath, sealed, xmldata, createddate, createdpersonid,
  updateddate, updatedpersonid, version, custom, fileversion, filesha1, filemd5, scanstate, scandate, scanresult) on
  attachment to casewright_report_all;

-- Table attachmenttemplate
create table attachmenttemplate (
  attachmenttemplateid bigint generated always as identity not null,
  attachmenttemplate character varying(100) collate casewright_text,
  status character varying(100) collate casewright_text,
  attachmenttemplatetype character varying(100) collate casewright_text,
  appliesto character varying(60) collate casewright_text,
  repeatable character varying(9) collate casewright_text,
  extranetenabled character varying(6) collate casewright_text,
  description character varying(10000) collate casewright_text,
  method character varying(2000) collate "C",
  attachmentservice character varying(100) collate casewright_text,
  fileobjectassembly character varying(100) collate casewright_text,
  createddate timestamp with time zone default now() not null,
  createdpersonid bigint,
  updateddate timestamp with time zone default now() not null,
  updatedpersonid bigint,
  version integer default 1 not null,
  options character varying(2000) collate "C",
  constraint attachmenttemplate_pkey primary key (attachmenttemplateid)
);
create unique index attachmenttemplate_attachmenttemplate_key on attachmenttemplate (attachmenttemplate,
  coalesce(appliesto, ''::character varying));
create trigger attachmenttemplate_added after insert on attachmenttemplate referencing new table as added for each
  statement execute function casewright_history_of_attachmenttemplate_added();
create trigger attachmenttemplate_configuration after insert or delete or update on attachmenttemplate for each
  statement execute function casewright_configuration();
create trigger attachmenttemplate_history after delete or update on attachmenttemplate for each row execute function
  casewright_history_of_attachmenttemplate();
create trigger attachmenttemplate_reach after update on attachmenttemplate for each row when (new.extranetenabled::text
  is distinct from old.extranetenabled::text) execute function casewright_reach_template('attachment');
alter table attachmenttemplate enable row level security;
create policy reach on attachmenttemplate for select to casewright_reach, casewright_report, casewright_report_all using
  (true);
grant select on attachmenttemplate to casewright_reach;
grant select (attachmenttemplateid, attachmenttemplate, status, attachmenttemplatetype, appliesto, repeatable,
  extranetenabled, description, method, attachmentservice, fileobjectassembly, createddate, createdpersonid,
  updateddate, updatedpersonid, version, options) on attachmenttemplate to casewright_report;
grant select (attachmenttemplateid, attachmenttemplate, status, attachmenttemplatetype, appliesto, repeatable,
  extranetenabled, description, method, attachmentservice, fileobjectassembly, createddate, createdpersonid,
  updateddate, updatedpersonid, version, options) on attachmenttemplate to casewright_report_all;

-- Table bankruptcy
create table bankruptcy (
  bankruptcyid bigint not null,
  bkcaseno character varying(50) collate casewright_text,
  chapter character varying(2) collate casewright_text,
  court character varying(100) collate casewright_text,
  filingdate date,
  bardate date,
  hearingdate date,
  reachorganizationid bigint,
  constraint bankruptcy_pkey primary key (bankruptcyid),
  constraint bankruptcy_bankruptcyid_fkey foreign key (bankruptcyid) references process(processid) on delete cascade
);
create index bankruptcy_bkcaseno_idx on bankruptcy (bkcaseno);
create trigger bankruptcy_case_changed after update on bankruptcy for each row when (new.chapter::text is distinct from
  old.chapter::text) execute function casewright_case_change();
create trigger bankruptcy_history after delete or update on bankruptcy for each row execute function
  casewright_history_of_bankruptcy();
create trigger bankruptcy_reach_links after update on bankruptcy for each row when (new.reachorganizationid is distinct
  from old.reachorganizationid) execute function casewright_reach_links();
create trigger bankruptcy_reach_payments after update on bankruptcy for each row when (new.reachorganizationid is
  distinct from old.reachorganizationid) execute function casewright_reach_payments('Bankruptcy');
alter table bankruptcy enable row level security;
create policy reach on bankruptcy for all to casewright_reach using ((reachorganizationid =
  (current_setting('casewright.firm'::text))::bigint)) with check ((reachorganizationid =
  (current_setting('casewright.firm'::text))::bigint));
create policy report on bankruptcy for select to casewright_report using ((reachorganizationid =
  (current_setting('casewright.firm'::text))::bigint));
create policy report_all on bankruptcy for select to casewright_report_all using (true);
grant delete, insert, select, update on bankruptcy to casewright_reach;
grant select (bankruptcyid, bkcaseno, chapter, court, filingdate, bardate, hearingdate) on bankruptcy to
  casewright_report;
grant select (bankruptcyid, bkcaseno, chapter, court, filingdate, bardate, hearingdate) on bankruptcy to
  casewright_report_all;

-- Table bulkrun
create table bulkrun (
  bulkrunid bigint generated always as identity not null,
  bulkrun character varying(255) collate casewright_text,
  status character varying(100) collate casewright_text,
  bulkruntype character varying(100) collate casewright_text,
  recordtype character varying(60) collate "C",
  signature character varying(20000) collate "C",
  undosignature character varying(2000) collate "C",
  importfileid bigint,
  undonerunid bigint,
  createddate timestamp with time zone default now() not null,
  createdpersonid bigint,
  updateddate timestamp with time zone default now() not null,
  updatedpersonid bigint,
  version integer default 1 not null,
  constraint bulkrun_pkey primary key (bulkrunid)
);
create index bulkrun_importfileid_idx on bulkrun (importfileid);
create unique index bulkrun_undonerunid_key on bulkrun (undonerunid);
create trigger bulkrun_added after insert on bulkrun referencing new table as added for each statement execute function
  casewright_history_of_bulkrun_added();
create trigger bulkrun_history after delete or update on bulkrun for each row execute function
  casewright_history_of_bulkrun();
alter table bulkrun enable row level security;

-- Table businessrule
create table businessrule (
  businessruleid bigint generated always as identity not null,
  businessrule character varying(100) collate casewright_text,
  status character varying(100) collate casewright_text,
  businessruletype character varying(100) collate casewright_text,
  appliesto character varying(60) collate casewright_text,
  operation character varying(200) collate casewright_text,
  startdate date,
  enddate date,
  sequence integer,
  rulevalidator character varying(100) collate casewright_text,
  stylesheet character varying(262144) collate "C",
  description character varying(1000) collate casewright_text,
  createddate timestamp with time zone default now() not null,
  createdpersonid bigint,
  updateddate timestamp with time zone default now() not null,
  updatedpersonid bigint,
  version integer default 1 not null,
  constraint businessrule_pkey primary key (businessruleid)
);
create index businessrule_active_idx on businessrule (sequence, businessruleid) where ((status)::text = 'Active'::text);
create unique index businessrule_name_key on businessrule (appliesto, businessrule);
create trigger businessrule_added after insert on businessrule referencing new table as added for each statement execute
  function casewright_history_of_businessrule_added();
create trigger businessrule_configuration after insert or delete or update on businessrule for each statement execute
  function casewright_configuration();
create trigger businessrule_history after delete or update on businessrule for each row execute function
  casewright_history_of_businessrule();
alter table businessrule enable row level security;
create policy reach on businessrule for select to casewright_reach, casewright_report, casewright_report_all using
  (true);
grant select on businessrule to casewright_reach;
grant select (businessruleid, businessrule, status, businessruletype, appliesto, operation, startdate, enddate,
  sequence, rulevalidator, stylesheet, description, createddate, createdpersonid, updateddate, updatedpersonid, version)
  on businessrule to casewright_report;
grant select (businessruleid, businessrule, status, businessruletype, appliesto, operation, startdate, enddate,
  sequence, rulevalidator, stylesheet, description, createddate, createdpersonid, updateddate, updatedpersonid, version)
  on businessrule to casewright_report_all;

-- Table casechange
create table casechange (
  casechangeid bigint generated always as identity not null,
  processid bigint not null,
  constraint casechange_pkey primary key (casechangeid)
);
alter table casechange enable row level security;

-- Table casesummary
create table casesummary (
  casesummaryid bigint generated always as identity not null,
  casesummary character varying(50) collate casewright_text,
  status character varying(100) collate casewright_text,
  casesummarytype character varying(100) collate casewright_text,
  processid bigint not null,
  recordclass character varying(11) collate casewright_text,
  isopen boolean not null,
  loanid bigint,
  loannumber character varying(50) collate casewright_text,
  borrower character varying(255) collate casewright_text,
  address character varying(100) collate casewright_text,
  city character varying(50) collate casewright_text,
  state character varying(50) collate casewright_text,
  agency character varying(60) collate casewright_text,
  upbamount numeric(19,4),
  organizationid bigint,
  assignedpersonid bigint,
  dateopened date,
  dateclosed date,
  scheduledsaledate date,
  chapter character varying(10) collate casewright_text,
  stage character varying(60) collate casewright_text,
  stagenumber integer,
  stagecount integer,
  stagebegan timestamp with time zone,
  stagetarget timestamp with time zone,
  targetdays integer,
  hold character varying(255) collate casewright_text,
  helddate timestamp with time zone,
  nexttask character varying(255) collate casewright_text,
  nexttaskid bigint,
  nextdue timestamp with time zone,
  createddate timestamp with time zone default now() not null,
  createdpersonid bigint,
  updateddate timestamp with time zone default now() not null,
  updatedpersonid bigint,
  version integer default 1 not null,
  constraint casesummary_pkey primary key (casesummaryid)
);
create index casesummary_address_start_idx on casesummary (casewright_fold((address)::text) collate "C");
create index casesummary_assignedpersonid_idx on casesummary (assignedpersonid, casesummaryid);
create index casesummary_bankruptcy_idx on casesummary (dateopened, casesummaryid) where ((recordclass)::text =
  'Bankruptcy'::text);
create index casesummary_borrower_idx on casesummary (borrower, casesummaryid);
create index casesummary_borrower_start_idx on casesummary (casewright_fold((borrower)::text) collate "C");
create index casesummary_casesummary_idx on casesummary (casesummary);
create index casesummary_casesummary_start_idx on casesummary (casewright_fold((casesummary)::text) collate "C");
create index casesummary_dateopened_idx on casesummary (dateopened, casesummaryid);
create index casesummary_hold_due_idx on casesummary (nextdue, casesummaryid) where (hold is not null);
create index casesummary_hold_idx on casesummary (helddate, casesummaryid) where (hold is not null);
create index casesummary_loanid_idx on casesummary (loanid);
create index casesummary_loannumber_start_idx on casesummary (casewright_fold((loannumber)::text) collate "C");
create index casesummary_newest_idx on casesummary (dateopened desc nulls last, casesummaryid);
create index casesummary_nextdue_idx on casesummary (nextdue, casesummaryid) where isopen;
create index casesummary_organizationid_idx on casesummary (organizationid, casesummaryid);
create unique index casesummary_processid_key on casesummary (processid);
create index casesummary_sale_idx on casesummary (scheduledsaledate, casesummaryid) where (scheduledsaledate is not
  null);
create index casesummary_stagetarget_idx on casesummary (stagetarget, casesummaryid) where isopen;
alter table casesummary enable row level security;
grant select (casesummaryid, casesummary, status, casesummarytype, processid, recordclass, isopen, loanid, loannumber,
  borrower, address, city, state, agency, upbamount, organizationid, assignedpersonid, dateopened, dateclosed,
  scheduledsaledate, chapter, stage, stagenumber, stagecount, stagebegan, stagetarget, targetdays, hold, helddate,
  nexttask, nexttaskid, nextdue, createddate, createdpersonid, updateddate, updatedpersonid, version) on casesummary to
  casewright_report;
grant select (casesummaryid, casesummary, status, casesummarytype, processid, recordclass, isopen, loanid, loannumber,
  borrower, address, city, state, agency, upbamount, organizationid, assignedpersonid, dateopened, dateclosed,
  scheduledsaledate, chapter, stage, stagenumber, stagecount, stagebegan, stagetarget, targetdays, hold, helddate,
  nexttask, nexttaskid, nextdue, createddate, createdpersonid, updateddate, updatedpersonid, version) on casesummary to
  casewright_report_all;

-- Table collection
create table collection (
  collectionid bigint generated always as identity not null,
  collection character varying(100) collate casewright_text,
  status character varying(100) collate casewright_text,
  collectiontype character varying(100) collate casewright_text,
  collectiontemplateid bigint,
  sourceobject character varying(60) collate "C" not null,
  createddate timestamp with time zone default now() not null,
  createdpersonid bigint,
  updateddate timestamp with time zone default now() not null,
  updatedpersonid bigint,
  version integer default 1 not null,
  custom jsonb,
  reachorganizationid bigint,
  constraint collection_pkey primary key (collectionid),
  constraint collection_custom_check check (jsonb_typeof(custom) = 'object'::text),
  constraint collection_collectiontemplateid_fkey foreign key (collectiontemplateid) references
    collectiontemplate(collectiontemplateid)
);
create unique index collection_collection_key on collection (sourceobject, collection, coalesce(reachorganizationid,
  (0)::bigint));
create index collection_collectiontemplateid_idx on collection (collectiontemplateid);
create index collection_reach_idx on collection (reachorganizationid, createddate);
create trigger collection_added after insert on collection referencing new table as added for each statement execute
  function casewright_history_of_collection_added();
create trigger collection_history after delete or update on collection for each row execute function
  casewright_history_of_collection();
create trigger collection_reach before insert or update of createdpersonid, reachorganizationid on collection for each
  row execute function casewright_reach_collection();
create trigger collection_reach_links after update on collection for each row when (new.reachorganizationid is distinct
  from old.reachorganizationid) execute function casewright_reach_links();
alter table collection enable row level security;
create policy reach on collection for all to casewright_reach using ((reachorganizationid =
  (current_setting('casewright.firm'::text))::bigint)) with check ((reachorganizationid =
  (current_setting('casewright.firm'::text))::bigint));
create policy report on collection for select to casewright_report using ((reachorganizationid =
  (current_setting('casewright.firm'::text))::bigint));
create policy report_all on collection for select to casewright_report_all using (true);
grant delete, insert, select, update on collection to casewright_reach;
grant select (collectionid, collection, status, collectiontype, collectiontemplateid, sourceobject, createddate,
  createdpersonid, updateddate, updatedpersonid, version, custom) on collection to casewright_report;
grant select (collectionid, collection, status, collectiontype, collectiontemplateid, sourceobject, createddate,
  createdpersonid, updateddate, updatedpersonid, version, custom) on collection to casewright_report_all;

-- Table collectionmember
create table collectionmember (
  collectionmemberid bigint generated always as identity not null,
  collectionmember character varying(255) collate casewright_text,
  status character varying(100) collate casewright_text,
  collectionmembertype character varying(100) collate casewright_text,
  collectionid bigint not null,
  sourceobjectid bigint not null,
  effectivedate date,
  expiresdate date,
  priority integer,
  createddate timestamp with time zone default now() not null,
  createdpersonid bigint,
  updateddate timestamp with time zone default now() not null,
  updatedpersonid bigint,
  version integer default 1 not null,
  custom jsonb,
  reachorganizationid bigint,
  constraint collectionmember_pkey primary key (collectionmemberid),
  constraint collectionmember_custom_check check (jsonb_typeof(custom) = 'object'::text),
  constraint collectionmember_dates_check check (expiresdate >= effectivedate),
  constraint collectionmember_collectionid_fkey foreign key (collectionid) references collection(collectionid)
);
create index collectionmember_collectionid_idx on collectionmember (collectionid);
create index collectionmember_reach_idx on collectionmember (reachorganizationid, createddate);
create unique index collectionmember_sourceobjectid_key on collectionmember (sourceobjectid, collectionid);
create trigger collectionmember_added after insert on collectionmember referencing new table as added for each statement
  execute function casewright_history_of_collectionmember_added();
create trigger collectionmember_history after delete or update on collectionmember for each row execute function
  casewright_history_of_collectionmember();
create trigger collectionmember_reach before insert or update of collectionid, reachorganizationid on collectionmember
  for each row execute function casewright_reach_collectionmember();
create trigger collectionmember_reach_links after update on collectionmember for each row when (new.reachorganizationid
  is distinct from old.reachorganizationid) execute function casewright_reach_links();
alter table collectionmember enable row level security;
create policy reach on collectionmember for all to casewright_reach using ((reachorganizationid =
  (current_setting('casewright.firm'::text))::bigint)) with check ((reachorganizationid =
  (current_setting('casewright.firm'::text))::bigint));
create policy report on collectionmember for select to casewright_report using ((reachorganizationid =
  (current_setting('casewright.firm'::text))::bigint));
create policy report_all on collectionmember for select to casewright_report_all using (true);
grant delete, insert, select, update on collectionmember to casewright_reach;
grant select (collectionmemberid, collectionmember, status, collectionmembertype, collectionid, sourceobjectid,
  effectivedate, expiresdate, priority, createddate, createdpersonid, updateddate, updatedpersonid, version, custom) on
  collectionmember to casewright_report;
grant select (collectionmemberid, collectionmember, status, collectionmembertype, collectionid, sourceobjectid,
  effectivedate, expiresdate, priority, createddate, createdpersonid, updateddate, updatedpersonid, version, custom) on
  collectionmember to casewright_report_all;

-- Table collectiontemplate
create table collectiontemplate (
  collectiontemplateid bigint generated always as identity not null,
  collectiontemplate character varying(100) collate casewright_text,
  status character varying(100) collate casewright_text,
  collectiontemplatetype character varying(100) collate casewright_text,
  appliesto character varying(60) collate casewright_text,
  repeatable character varying(9) collate casewright_text,
  extranetenabled character varying(6) collate casewright_text,
  description character varying(10000) collate casewright_text,
  createddate timestamp with time zone default now() not null,
  createdpersonid bigint,
  updateddate timestamp with time zone default now() not null,
  updatedpersonid bigint,
  version integer default 1 not null,
  constraint collectiontemplate_pkey primary key (collectiontemplateid)
);
create trigger collectiontemplate_added after insert on collectiontemplate referencing new table as added for each
  statement execute function casewright_history_of_collectiontemplate_added();
create trigger collectiontemplate_configuration after insert or delete or update on collectiontemplate for each
  statement execute function casewright_configuration();
create trigger collectiontemplate_history after delete or update on collectiontemplate for each row execute function
  casewright_history_of_collectiontemplate();
alter table collectiontemplate enable row level security;
create policy reach on collectiontemplate for select to casewright_reach, casewright_report, casewright_report_all using
  (true);
grant select on collectiontemplate to casewright_reach;
grant select (collectiontemplateid, collectiontemplate, status, collectiontemplatetype, appliesto, repeatable,
  extranetenabled, description, createddate, createdpersonid, updateddate, updatedpersonid, version) on
  collectiontemplate to casewright_report;
grant select (collectiontemplateid, collectiontemplate, status, collectiontemplatetype, appliesto, repeatable,
  extranetenabled, description, createddate, createdpersonid, updateddate, updatedpersonid, version) on
  collectiontemplate to casewright_report_all;

-- Table configurationversion
create table configurationversion (
  version bigint not null
);

-- Table contact
create table contact (
  contactid bigint generated always as identity not null,
  contact character varying(255) collate casewright_text,
  status character varying(100) collate casewright_text,
  contacttype character varying(100) collate casewright_text,
  object character varying(60) collate "C",
  objectid bigint,
  recordclass character varying(60) collate "C",
  firstname character varying(100) collate casewright_text,
  middlename character varying(100) collate casewright_text,
  lastname character varying(100) collate casewright_text,
  prefix character varying(20) collate casewright_text,
  suffix character varying(20) collate casewright_text,
  company character varying(255) collate casewright_text,
  title character varying(100) collate casewright_text,
  address character varying(255) collate casewright_text,
  city character varying(100) collate casewright_text,
  state character varying(50) collate casewright_text,
  postalcode character varying(20) collate casewright_text,
  country character varying(60) collate casewright_text,
  birthdate date,
  spokenlanguage character varying(60) collate casewright_text,
  latitude numeric,
  longitude numeric,
  contacttemplateid bigint,
  parentcontactid bigint,
  usssncipher bytea,
  usssnindex bytea,
  usssn4 character varying(4) collate "C",
  scrastatus character varying(60) collate casewright_text,
  scrasource character varying(100) collate casewright_text,
  scrastatusasof date,
  verifiedsource character varying(100) collate casewright_text,
  verifieddate timestamp with time zone,
  borrowertype character varying(9) collate casewright_text,
  sequence integer,
  createddate timestamp with time zone default now() not null,
  createdpersonid bigint,
  updateddate timestamp with time zone default now() not null,
  updatedpersonid bigint,
  version integer default 1 not null,
  reachorganizationid bigint[] default '{}'::bigint[] not null,
  custom jsonb,
  scraactivedutystartdate date,
  scraactivedutyenddate date,
  scraservicecomponentcode character varying(10) collate "C",
  scramessage character varying(255) collate casewright_text,
  constraint contact_pkey primary key (contactid),
  constraint contact_custom_check check (jsonb_typeof(custom) = 'object'::text),
  constraint contact_contacttemplateid_fkey foreign key (contacttemplateid) references
    contacttemplate(contacttemplateid),
  constraint contact_parentcontactid_fkey foreign key (parentcontactid) references contact(contactid)
);
create index contact_contact_idx on contact (contact);
create index contact_contacttemplateid_idx on contact (contacttemplateid);
create index contact_label_idx on contact (casewright_fold((contact)::text) collate "C");
create index contact_lastname_idx on contact (lastname, firstname);
create index contact_names_idx on contact using gin (casewright_name_keys((contact)::text));
create index contact_object_idx on contact (objectid, object);
create index contact_parentcontactid_idx on contact (parentcontactid);
create index contact_reach_idx on contact using gin (reachorganizationid);
create index contact_usssnindex_idx on contact (usssnindex);
create index contact_words_idx on contact using gin (casewright_words(((((coalesce((contact)::text, ''::text) ||
  ' '::text) || coalesce((address)::text, ''::text)) || ' '::text) || coalesce((city)::text, ''::text))));
create trigger contact_added after insert on contact referencing new table as added for each statement execute function
  casewright_history_of_contact_added();
create trigger contact_case_changed after update on contact for each row when (((new.object::text = any
  (array['Loan'::character varying, 'Foreclosure'::character varying, 'Bankruptcy'::character varying]::text[])) or
  (old.object::text = any (array['Loan'::character varying, 'Foreclosure'::character varying, 'Bankruptcy'::character
  varying]::text[]))) and (new.object::text is distinct from old.object::text or new.objectid is distinct from
  old.objectid or new.firstname::text is distinct from old.firstname::text or new.lastname::text is distinct from
  old.lastname::text or new.company::text is distinct from old.company::text or new.borrowertype::text is distinct from
  old.borrowertype::text or new.sequence is distinct from old.sequence)) execute function
  casewright_case_change_below();
create trigger contact_case_created after insert on contact referencing new table as added for each statement execute
  function casewright_cases_added_to();
create trigger contact_case_deleted after delete on contact for each row when (old.object::text = any
  (array['Loan'::character varying, 'Foreclosure'::character varying, 'Bankruptcy'::character varying]::text[])) execute
  function casewright_case_change_below();
create trigger contact_history after delete or update on contact for each row when
  (coalesce(current_setting('casewright.reseal'::text, true), ''::text) <> 'on'::text) execute function
  casewright_history_of_contact();
create trigger contact_reach before insert or update of object, objectid, parentcontactid, contacttemplateid,
  reachorganizationid on contact for each row execute function casewright_reach_contact();
create trigger contact_reach_changed after update on contact for each row when (new.reachorganizationid is distinct from
  old.reachorganizationid) execute function casewright_reach_contact_changed();
create trigger contact_reach_links after update on contact for each row when (new.reachorganizationid is distinct from
  old.reachorganizationid) execute function casewright_reach_links();
create trigger contact_reach_payments after update on contact for each row when (new.reachorganizationid is distinct
  from old.reachorganizationid) execute function casewright_reach_payments('Contact');
create trigger contact_reach_spread after update on contact for each row when (new.reachorganizationid is distinct from
  old.reachorganizationid) execute function casewright_reach_spread('Contact');
create trigger contact_reach_spread_licenses after update on contact for each row when (new.reachorganizationid is
  distinct from old.reachorganizationid) execute function casewright_reach_licenses('Contact');
alter table contact enable row level security;
create policy reach on contact for all to casewright_reach using ((reachorganizationid @>
  ARRAY[(current_setting('casewright.firm'::text))::bigint])) with check ((reachorganizationid @>
  ARRAY[(current_setting('casewright.firm'::text))::bigint]));
create policy report on contact for select to casewright_report using ((reachorganizationid @>
  ARRAY[(current_setting('casewright.firm'::text))::bigint]));
create policy report_all on contact for select to casewright_report_all using (true);
grant delete, insert, select, update on contact to casewright_reach;
grant select (contactid, contact, status, contacttype, object, objectid, recordclass, firstname, middlename, lastname,
  prefix, suffix, company, title, address, city, state, postalcode, country, birthdate, spokenlanguage, latitude,
  longitude, contacttemplateid, parentcontactid, usssn4, scrastatus, scrasource, scrastatusasof, verifiedsource,
  verifieddate, borrowertype, sequence, createddate, createdpersonid, updateddate, updatedpersonid, version, custom,
  scraactivedutystartdate, scraactivedutyenddate, scraservicecomponentcode, scramessage) on contact to
  casewright_report;
grant select (contactid, contact, status, contacttype, object, objectid, recordclass, firstname, middlename, lastname,
  prefix, suffix, company, title, address, city, state, postalcode, country, birthdate, spokenlanguage, latitude,
  longitude, contacttemplateid, parentcontactid, usssn4, scrastatus, scrasource, scrastatusasof, verifiedsource,
  verifieddate, borrowertype, sequence, createddate, createdpersonid, updateddate, updatedpersonid, version, custom,
  scraactivedutystartdate, scraactivedutyenddate, scraservicecomponentcode, scramessage) on contact to
  casewright_report_all;

-- Table contactmethod
create table contactmethod (
  contactmethodid bigint generated always as identity not null,
  contactmethod character varying(255) collate casewright_text,
  status character varying(100) collate casewright_text,
  contactmethodtype character varying(100) collate casewright_text,
  contactid bigint not null,
  methodtype character varying(60) collate casewright_text,
  contactvalue character varying(255) collate casewright_text,
  primarymethod boolean,
  validstart date,
  validend date,
  verifiedsource character varying(100) collate casewright_text,
  createddate timestamp with time zone default now() not null,
  createdpersonid bigint,
  updateddate timestamp with time zone default now() not null,
  updatedpersonid bigint,
  version integer default 1 not null,
  reachorganizationid bigint[] default '{}'::bigint[] not null,
  custom jsonb,
  constraint contactmethod_pkey primary key (contactmethodid),
  constraint contactmethod_custom_check check (jsonb_typeof(custom) = 'object'::text),
  constraint contactmethod_contactid_fkey foreign key (contactid) references contact(contactid)
);
create index contactmethod_contactid_idx on contactmethod (contactid);
create index contactmethod_reach_idx on contactmethod using gin (reachorganizationid);
create trigger contactmethod_added after insert on contactmethod referencing new table as added for each statement
  execute function casewright_history_of_contactmethod_added();
create trigger contactmethod_history after delete or update on contactmethod for each row execute function
  casewright_history_of_contactmethod();
create trigger contactmethod_reach before insert or update of contactid on contactmethod for each row execute function
  casewright_reach_contactmethod();
create trigger contactmethod_reach_links after update on contactmethod for each row when (new.reachorganizationid is
  distinct from old.reachorganizationid) execute function casewright_reach_links();
alter table contactmethod enable row level security;
create policy reach on contactmethod for all to casewright_reach using ((reachorganizationid @>
  ARRAY[(current_setting('casewright.firm'::text))::bigint])) with check ((reachorganizationid @>
  ARRAY[(current_setting('casewright.firm'::text))::bigint]));
create policy report on contactmethod for select to casewright_report using ((reachorganizationid @>
  ARRAY[(current_setting('casewright.firm'::text))::bigint]));
create policy report_all on contactmethod for select to casewright_report_all using (true);
grant delete, insert, select, update on contactmethod to casewright_reach;
grant select (contactmethodid, contactmethod, status, contactmethodtype, contactid, methodtype, contactvalue,
  primarymethod, validstart, validend, verifiedsource, createddate, createdpersonid, updateddate, updatedpersonid,
  version, custom) on contactmethod to casewright_report;
grant select (contactmethodid, contactmethod, status, contactmethodtype, contactid, methodtype, contactvalue,
  primarymethod, validstart, validend, verifiedsource, createddate, createdpersonid, updateddate, updatedpersonid,
  version, custom) on contactmethod to casewright_report_all;

-- Table contacttemplate
create table contacttemplate (
  contacttemplateid bigint generated always as identity not null,
  contacttemplate character varying(100) collate casewright_text,
  status character varying(100) collate casewright_text,
  contacttemplatetype character varying(100) collate casewright_text,
  appliesto character varying(60) collate casewright_text,
  repeatable character varying(9) collate casewright_text,
  extranetenabled character varying(6) collate casewright_text,
  description character varying(10000) collate casewright_text,
  customstatuslist character varying(4000) collate casewright_text,
  customtypelist character varying(4000) collate casewright_text,
  createddate timestamp with time zone default now() not null,
  createdpersonid bigint,
  updateddate timestamp with time zone default now() not null,
  updatedpersonid bigint,
  version integer default 1 not null,
  constraint contacttemplate_pkey primary key (contacttemplateid)
);
create trigger contacttemplate_added after insert on contacttemplate referencing new table as added for each statement
  execute function casewright_history_of_contacttemplate_added();
create trigger contacttemplate_configuration after insert or delete or update on contacttemplate for each statement
  execute function casewright_configuration();
create trigger contacttemplate_history after delete or update on contacttemplate for each row execute function
  casewright_history_of_contacttemplate();
create trigger contacttemplate_reach after update on contacttemplate for each row when (new.extranetenabled::text is
  distinct from old.extranetenabled::text) execute function casewright_reach_template('contact');
alter table contacttemplate enable row level security;
create policy reach on contacttemplate for select to casewright_reach, casewright_report, casewright_report_all using
  (true);
grant select on contacttemplate to casewright_reach;
grant select (contacttemplateid, contacttemplate, status, contacttemplatetype, appliesto, repeatable, extranetenabled,
  description, customstatuslist, customtypelist, createddate, createdpersonid, updateddate, updatedpersonid, version) on
  contacttemplate to casewright_report;
grant select (contacttemplateid, contacttemplate, status, contacttemplatetype, appliesto, repeatable, extranetenabled,
  description, customstatuslist, customtypelist, createddate, createdpersonid, updateddate, updatedpersonid, version) on
  contacttemplate to casewright_report_all;

-- Table customfield
create table customfield (
  customfieldid bigint generated always as identity not null,
  customfield character varying(60) collate casewright_text not null,
  status character varying(100) collate casewright_text,
  customfieldtype character varying(100) collate casewright_text,
  appliesto character varying(60) collate casewright_text not null,
  label character varying(100) collate casewright_text,
  kind character varying(9) collate casewright_text not null,
  max integer,
  "values" character varying(10000) collate "C",
  required boolean,
  classification character varying(8) collate casewright_text,
  description character varying(1000) collate casewright_text,
  isactive boolean,
  isindexed boolean,
  storedname character varying(60) collate "C",
  createddate timestamp with time zone default now() not null,
  createdpersonid bigint,
  updateddate timestamp with time zone default now() not null,
  updatedpersonid bigint,
  version integer default 1 not null,
  constraint customfield_pkey primary key (customfieldid)
);
create unique index customfield_name_idx on customfield (appliesto, customfield);
create unique index customfield_storedname_idx on customfield (appliesto, lower((storedname)::text));
create trigger customfield_added after insert on customfield referencing new table as added for each statement execute
  function casewright_history_of_customfield_added();
create trigger customfield_configuration after insert or delete or update on customfield for each statement execute
  function casewright_configuration();
create trigger customfield_history after delete or update on customfield for each row execute function
  casewright_history_of_customfield();
alter table customfield enable row level security;
create policy reach on customfield for select to casewright_reach, casewright_report, casewright_report_all using
  (true);
grant select on customfield to casewright_reach;
grant select (customfieldid, customfield, status, customfieldtype, appliesto, label, kind, max, "values", required,
  classification, description, isactive, isindexed, storedname, createddate, createdpersonid, updateddate,
  updatedpersonid, version) on customfield to casewright_report;
grant select (customfieldid, customfield, status, customfieldtype, appliesto, label, kind, max, "values", required,
  classification, description, isactive, isindexed, storedname, createddate, createdpersonid, updateddate,
  updatedpersonid, version) on customfield to casewright_report_all;

-- Table decision
create table decision (
  decisionid bigint generated always as identity not null,
  decision character varying(255) collate casewright_text,
  status character varying(100) collate casewright_text,
  decisiontype character varying(100) collate casewright_text,
  object character varying(60) collate "C",
  objectid bigint,
  decisiontemplateid bigint,
  decisiontemplateversionid bigint,
  parentdecisionstepid bigint,
  estimatedstart timestamp with time zone,
  estimatedcompletion timestamp with time zone,
  projectedstart timestamp with time zone,
  projectedcompletion timestamp with time zone,
  actualstart timestamp with time zone,
  actualcompletion timestamp with time zone,
  canceleddate timestamp with time zone,
  delayed boolean,
  delaycount integer,
  delayduration numeric,
  stepsequence integer,
  createddate timestamp with time zone default now() not null,
  createdpersonid bigint,
  updateddate timestamp with time zone default now() not null,
  updatedpersonid bigint,
  version integer default 1 not null,
  reachorganizationid bigint,
  custom jsonb,
  constraint decision_pkey primary key (decisionid),
  constraint decision_custom_check check (jsonb_typeof(custom) = 'object'::text),
  constraint decision_decisiontemplateid_fkey foreign key (decisiontemplateid) references
    decisiontemplate(decisiontemplateid),
  constraint decision_decisiontemplateversionid_fkey foreign key (decisiontemplateversionid) references
    decisiontemplateversion(decisiontemplateversionid),
  constraint decision_parentdecisionstepid_fkey foreign key (parentdecisionstepid) references
    decisionstep(decisionstepid) on delete set null
);
create index decision_decisiontemplateid_idx on decision (decisiontemplateid);
create index decision_object_idx on decision (objectid, object);
create index decision_open_idx on decision (decisiontemplateid, decisionid) where ((actualcompletion is null) and
  (canceleddate is null));
create index decision_parentdecisionstepid_idx on decision (parentdecisionstepid);
create index decision_reach_idx on decision (reachorganizationid, createddate);
create trigger decision_added after insert on decision referencing new table as added for each statement execute
  function casewright_history_of_decision_added();
create trigger decision_case_changed after update on decision for each row when (((new.object::text = any
  (array['Foreclosure'::character varying, 'Bankruptcy'::character varying]::text[])) or (old.object::text = any
  (array['Foreclosure'::character varying, 'Bankruptcy'::character varying]::text[]))) and (new.object::text is distinct
  from old.object::text or new.objectid is distinct from old.objectid or new.decisiontemplateversionid is distinct from
  old.decisiontemplateversionid or new.actualstart is distinct from old.actualstart or new.actualcompletion is distinct
  from old.actualcompletion or new.canceleddate is distinct from old.canceleddate)) execute function
  casewright_case_change_below();
create trigger decision_case_created after insert on decision referencing new table as added for each statement execute
  function casewright_cases_added_to();
create trigger decision_case_deleted after delete on decision for each row when (old.object::text = any
  (array['Foreclosure'::character varying, 'Bankruptcy'::character varying]::text[])) execute function
  casewright_case_change_below();
create trigger decision_history after delete or update on decision for each row execute function
  casewright_history_of_decision();
create trigger decision_hold before insert on decision for each row execute function casewright_decision_hold();
create trigger decision_reach before insert or update of object, objectid, decisiontemplateid, reachorganizationid on
  decision for each row execute function casewright_reach_decision();
create trigger decision_reach_links after update on decision for each row when (new.reachorganizationid is distinct from
  old.reachorganizationid) execute function casewright_reach_links();
create trigger decision_reach_spread after update on decision for each row when (new.reachorganizationid is distinct
  from old.reachorganizationid) execute function casewright_reach_spread('Decision');
alter table decision enable row level security;
create policy reach on decision for all to casewright_reach using ((reachorganizationid =
  (current_setting('casewright.firm'::text))::bigint)) with check ((reachorganizationid =
  (current_setting('casewright.firm'::text))::bigint));
create policy report on decision for select to casewright_report using ((reachorganizationid =
  (current_setting('casewright.firm'::text))::bigint));
create policy report_all on decision for select to casewright_report_all using (true);
grant delete, insert, select, update on decision to casewright_reach;
grant select (decisionid, decision, status, decisiontype, object, objectid, decisiontemplateid,
  decisiontemplateversionid, parentdecisionstepid, estimatedstart, estimatedcompletion, projectedstart,
  projectedcompletion, actualstart, actualcompletion, canceleddate, delayed, delaycount, delayduration, stepsequence,
  createddate, createdpersonid, updateddate, updatedpersonid, version, custom) on decision to casewright_report;
grant select (decisionid, decision, status, decisiontype, object, objectid, decisiontemplateid,
  decisiontemplateversionid, parentdecisionstepid, estimatedstart, estimatedcompletion, projectedstart,
  projectedcompletion, actualstart, actualcompletion, canceleddate, delayed, delaycount, delayduration, stepsequence,
  createddate, createdpersonid, updateddate, updatedpersonid, version, custom) on decision to casewright_report_all;

-- Table decisiondelay
create table decisiondelay (
  decisiondelayid bigint generated always as identity not null,
  decisiondelay character varying(255) collate casewright_text,
  status character varying(100) collate casewright_text,
  decisiondelaytype character varying(100) collate casewright_text,
  object character varying(60) collate "C",
  objectid bigint,
  decisiondelaytemplateid bigint,
  decisionid bigint,
  reasondetail text collate casewright_text,
  actualstart timestamp with time zone,
  projectedcompletion timestamp with time zone,
  actualcompletion timestamp with time zone,
  createddate timestamp with time zone default now() not null,
  createdpersonid bigint,
  updateddate timestamp with time zone default now() not null,
  updatedpersonid bigint,
  version integer default 1 not null,
  reachorganizationid bigint,
  custom jsonb,
  constraint decisiondelay_pkey primary key (decisiondelayid),
  constraint decisiondelay_custom_check check (jsonb_typeof(custom) = 'object'::text),
  constraint decisiondelay_decisiondelaytemplateid_fkey foreign key (decisiondelaytemplateid) references
    decisiondelaytemplate(decisiondelaytemplateid),
  constraint decisiondelay_decisionid_fkey foreign key (decisionid) references decision(decisionid) on delete cascade
);
create index decisiondelay_decisiondelaytemplateid_idx on decisiondelay (decisiondelaytemplateid);
create index decisiondelay_decisionid_idx on decisiondelay (decisionid);
create index decisiondelay_object_idx on decisiondelay (objectid, object);
create index decisiondelay_reach_idx on decisiondelay (reachorganizationid, createddate);
create trigger decisiondelay_added after insert on decisiondelay referencing new table as added for each statement
  execute function casewright_history_of_decisiondelay_added();
create trigger decisiondelay_case_changed after update on decisiondelay for each row when (((new.object::text = any
  (array['Foreclosure'::character varying, 'Bankruptcy'::character varying]::text[])) or (old.object::text = any
  (array['Foreclosure'::character varying, 'Bankruptcy'::character varying]::text[]))) and (new.object::text is distinct
  from old.object::text or new.objectid is distinct from old.objectid or new.decisionid is distinct from old.decisionid
  or new.decisiondelay::text is distinct from old.decisiondelay::text or new.actualstart is distinct from
  old.actualstart or new.actualcompletion is distinct from old.actualcompletion)) execute function
  casewright_case_change_below();
create trigger decisiondelay_case_created after insert on decisiondelay referencing new table as added for each
  statement execute function casewright_cases_added_to();
create trigger decisiondelay_case_deleted after delete on decisiondelay for each row when (old.object::text = any
  (array['Foreclosure'::character varying, 'Bankruptcy'::character varying]::text[])) execute function
  casewright_case_change_below();
create trigger decisiondelay_history after delete or update on decisiondelay for each row execute function
  casewright_history_of_decisiondelay();
create trigger decisiondelay_hold_delete after delete on decisiondelay for each row when (old.decisionid is not null or
  old.object::text <> 'Loan'::text) execute function casewright_decisiondelay_hold();
create trigger decisiondelay_hold_insert after insert on decisiondelay for each row when (new.decisionid is not null or
  new.object::text <> 'Loan'::text) execute function casewright_decisiondelay_hold();
create trigger decisiondelay_hold_update after update of decisionid, object, objectid, decisiondelaytemplateid,
  actualstart, actualcompletion on decisiondelay for each row when (new.decisionid is not null or old.decisionid is not
  null or new.object::text <> 'Loan'::text or old.object::text <> 'Loan'::text) execute function
  casewright_decisiondelay_hold();
create trigger decisiondelay_reach before insert or update of object, objectid, decisiondelaytemplateid,
  reachorganizationid on decisiondelay for each row execute function casewright_reach_decisiondelay();
create trigger decisiondelay_reach_links after update on decisiondelay for each row when (new.reachorganizationid is
  distinct from old.reachorganizationid) execute function casewright_reach_links();
create trigger decisiondelay_reach_spread after update on decisiondelay for each row when (new.reachorganizationid is
  distinct from old.reachorganizationid) execute function casewright_reach_spread('DecisionDelay');
create trigger decisiondelay_reach_spread_licenses after update on decisiondelay for each row when
  (new.reachorganizationid is distinct from old.reachorganizationid) execute function
  casewright_reach_licenses('DecisionDelay');
alter table decisiondelay enable row level security;
create policy reach on decisiondelay for all to casewright_reach using ((reachorganizationid =
  (current_setting('casewright.firm'::text))::bigint)) with check ((reachorganizationid =
  (current_setting('casewright.firm'::text))::bigint));
create policy report on decisiondelay for select to casewright_report using ((reachorganizationid =
  (current_setting('casewright.firm'::text))::bigint));
create policy report_all on decisiondelay for select to casewright_report_all using (true);
grant delete, insert, select, update on decisiondelay to casewright_reach;
grant select (decisiondelayid, decisiondelay, status, decisiondelaytype, object, objectid, decisiondelaytemplateid,
  decisionid, reasondetail, actualstart, projectedcompletion, actualcompletion, createddate, createdpersonid,
  updateddate, updatedpersonid, version, custom) on decisiondelay to casewright_report;
grant select (decisiondelayid, decisiondelay, status, decisiondelaytype, object, objectid, decisiondelaytemplateid,
  decisionid, reasondetail, actualstart, projectedcompletion, actualcompletion, createddate, createdpersonid,
  updateddate, updatedpersonid, version, custom) on decisiondelay to casewright_report_all;

-- Table decisiondelaystate
create table decisiondelaystate (
  decisiondelayid bigint not null,
  at timestamp with time zone default '-infinity'::timestamp with time zone not null,
  created timestamp with time zone default '-infinity'::timestamp with time zone not null,
  recorded timestamp with time zone default '-infinity'::timestamp with time zone not null,
  code text collate "C" default ''::text not null,
  organizationid bigint not null,
  loanid bigint not null,
  delaytype character varying(100) collate "C" not null,
  delaystart timestamp with time zone not null,
  projectedkey text collate "C",
  detailskey text collate "C",
  constraint decisiondelaystate_pkey primary key (decisiondelayid)
);
create index decisiondelaystate_loanid_idx on decisiondelaystate (loanid, organizationid, delaytype, delaystart);

-- Table decisiondelaytemplate
create table decisiondelaytemplate (
  decisiondelaytemplateid bigint generated always as identity not null,
  decisiondelaytemplate character varying(100) collate casewright_text,
  status character varying(100) collate casewright_text,
  decisiondelaytemplatetype character varying(100) collate casewright_text,
  appliesto character varying(60) collate casewright_text,
  repeatable character varying(9) collate casewright_text,
  extranetenabled character varying(6) collate casewright_text,
  description character varying(10000) collate casewright_text,
  onstartparentstatus character varying(100) collate casewright_text,
  createddate timestamp with time zone default now() not null,
  createdpersonid bigint,
  updateddate timestamp with time zone default now() not null,
  updatedpersonid bigint,
  version integer default 1 not null,
  decisiontemplateid bigint,
  importformtemplateid bigint,
  constraint decisiondelaytemplate_pkey primary key (decisiondelaytemplateid),
  constraint decisiondelaytemplate_decisiontemplateid_fkey foreign key (decisiontemplateid) references
    decisiontemplate(decisiontemplateid),
  constraint decisiondelaytemplate_importformtemplateid_fkey foreign key (importformtemplateid) references
    importformtemplate(importformtemplateid)
);
create unique index decisiondelaytemplate_decisiondelaytemplate_key on decisiondelaytemplate (decisiondelaytemplate,
  coalesce(appliesto, ''::character varying));
create index decisiondelaytemplate_decisiontemplateid_idx on decisiondelaytemplate (decisiontemplateid);
create index decisiondelaytemplate_importformtemplateid_idx on decisiondelaytemplate (importformtemplateid);
create trigger decisiondelaytemplate_added after insert on decisiondelaytemplate referencing new table as added for each
  statement execute function casewright_history_of_decisiondelaytemplate_added();
create trigger decisiondelaytemplate_configuration after insert or delete or update on decisiondelaytemplate for each
  statement execute function casewright_configuration();
create trigger decisiondelaytemplate_history after delete or update on decisiondelaytemplate for each row execute
  function casewright_history_of_decisiondelaytemplate();
create trigger decisiondelaytemplate_reach after update on decisiondelaytemplate for each row when
  (new.extranetenabled::text is distinct from old.extranetenabled::text) execute function
  casewright_reach_template('decisiondelay');
alter table decisiondelaytemplate enable row level security;
create policy reach on decisiondelaytemplate for select to casewright_reach, casewright_report, casewright_report_all
  using (true);
grant select on decisiondelaytemplate to casewright_reach;
grant select (decisiondelaytemplateid, decisiondelaytemplate, status, decisiondelaytemplatetype, appliesto, repeatable,
  extranetenabled, description, onstartparentstatus, createddate, createdpersonid, updateddate, updatedpersonid,
  version, decisiontemplateid, importformtemplateid) on decisiondelaytemplate to casewright_report;
grant select (decisiondelaytemplateid, decisiondelaytemplate, status, decisiondelaytemplatetype, appliesto, repeatable,
  extranetenabled, description, onstartparentstatus, createddate, createdpersonid, updateddate, updatedpersonid,
  version, decisiontemplateid, importformtemplateid) on decisiondelaytemplate to casewright_report_all;

-- Table decisiondependency
create table decisiondependency (
  decisiondependencyid bigint generated always as identity not null,
  decisiondependency character varying(100) collate casewright_text,
  status character varying(100) collate casewright_text,
  decisiondependencytype character varying(100) collate casewright_text,
  decisiontemplateid bigint not null,
  decisionsteptemplate character varying(100) collate casewright_text,
  decisionsteptemplateid bigint not null,
  dependencysteptemplate character varying(100) collate casewright_text,
  dependencysteptemplateid bigint not null,
  istrue boolean,
  groupnumber integer,
  createddate timestamp with time zone default now() not null,
  createdpersonid bigint,
  updateddate timestamp with time zone default now() not null,
  updatedpersonid bigint,
  version integer default 1 not null,
  constraint decisiondependency_pkey primary key (decisiondependencyid),
  constraint decisiondependency_decisionsteptemplateid_fkey foreign key (decisionsteptemplateid) references
    decisionsteptemplate(decisionsteptemplateid) on delete cascade,
  constraint decisiondependency_decisiontemplateid_fkey foreign key (decisiontemplateid) references
    decisiontemplate(decisiontemplateid) on delete cascade,
  constraint decisiondependency_dependencysteptemplateid_fkey foreign key (dependencysteptemplateid) references
    decisionsteptemplate(decisionsteptemplateid) on delete cascade
);
create index decisiondependency_decisionsteptemplateid_idx on decisiondependency (decisionsteptemplateid);
create index decisiondependency_decisiontemplateid_idx on decisiondependency (decisiontemplateid);
create index decisiondependency_dependencysteptemplateid_idx on decisiondependency (dependencysteptemplateid);
create unique index decisiondependency_key on decisiondependency (decisionsteptemplateid, dependencysteptemplateid,
  coalesce(groupnumber, 0));
create trigger decisiondependency_added after insert on decisiondependency referencing new table as added for each
  statement execute function casewright_history_of_decisiondependency_added();
create trigger decisiondependency_configuration after insert or delete or update on decisiondependency for each
  statement execute function casewright_configuration();
create trigger decisiondependency_history after delete or update on decisiondependency for each row execute function
  casewright_history_of_decisiondependency();
create trigger decisiondependency_unsubscribe after delete on decisiondependency referencing old table as gone for each
  statement execute function casewright_matrix_unsubscribe('DecisionDependency');
alter table decisiondependency enable row level security;
create policy reach on decisiondependency for select to casewright_reach, casewright_report, casewright_report_all using
  (true);
grant select on decisiondependency to casewright_reach;
grant select (decisiondependencyid, decisiondependency, status, decisiondependencytype, decisiontemplateid,
  decisionsteptemplate, decisionsteptemplateid, dependencysteptemplate, dependencysteptemplateid, istrue, groupnumber,
  createddate, createdpersonid, updateddate, updatedpersonid, version) on decisiondependency to casewright_report;
grant select (decisiondependencyid, decisiondependency, status, decisiondependencytype, decisiontemplateid,
  decisionsteptemplate, decisionsteptemplateid, dependencysteptemplate, dependencysteptemplateid, istrue, groupnumber,
  createddate, createdpersonid, updateddate, updatedpersonid, version) on decisiondependency to casewright_report_all;

-- Table decisionstep
create table decisionstep (
  decisionstepid bigint generated always as identity not null,
  decisionstep character varying(100) collate casewright_text,
  status character varying(100) collate casewright_text,
  decisionsteptype character varying(100) collate casewright_text,
  decisionid bigint not null,
  decisionsteptemplateid bigint,
  object character varying(60) collate "C",
  objectid bigint,
  istrue boolean,
  estimatedstart timestamp with time zone,
  estimatedcompletion timestamp with time zone,
  projectedstart timestamp with time zone,
  projectedcompletion timestamp with time zone,
  actualstart timestamp with time zone,
  actualcompletion timestamp with time zone,
  canceleddate timestamp with time zone,
  errordate timestamp with time zone,
  errorguid character varying(36) collate "C",
  errormessage character varying(2500) collate "C",
  teamid bigint,
  delayed boolean,
  delaycount integer,
  delayduration numeric,
  enforcedelay boolean,
  queuemessageid character varying(36) collate "C",
  insertedsequence integer,
  completedsequence integer,
  createddate timestamp with time zone default now() not null,
  createdpersonid bigint,
  updateddate timestamp with time zone default now() not null,
  updatedpersonid bigint,
  version integer default 1 not null,
  reachorganizationid bigint,
  custom jsonb,
  constraint decisionstep_pkey primary key (decisionstepid),
  constraint decisionstep_custom_check check (jsonb_typeof(custom) = 'object'::text),
  constraint decisionstep_delayed_check check (not (coalesce(delayed, false) and coalesce(enforcedelay, true) and
    actualcompletion is not null)),
  constraint decisionstep_decisionid_fkey foreign key (decisionid) references decision(decisionid) on delete cascade,
  constraint decisionstep_teamid_fkey foreign key (teamid) references collection(collectionid)
);
create index decisionstep_decisionid_idx on decisionstep (decisionid);
create index decisionstep_failed_idx on decisionstep (decisionid) where ((actualcompletion is null) and (canceleddate is
  null) and ((status)::text = 'Error'::text));
create index decisionstep_object_idx on decisionstep (objectid, object) where (objectid is not null);
create index decisionstep_pending_idx on decisionstep (updateddate) where ((actualcompletion is null) and (canceleddate
  is null) and ((status)::text = 'Pending'::text) and ((object)::text is distinct from 'ImportForm'::text));
create index decisionstep_reach_idx on decisionstep (reachorganizationid, createddate);
create index decisionstep_started_idx on decisionstep (updateddate) where ((actualcompletion is null) and (canceleddate
  is null) and ((status)::text = 'Started'::text));
create index decisionstep_teamid_idx on decisionstep (teamid);
create index decisionstep_template_created_idx on decisionstep (decisionsteptemplateid, createddate);
create index decisionstep_waiting_idx on decisionstep (updateddate) where ((actualcompletion is null) and (canceleddate
  is null) and ((status is null) or ((status)::text = 'Queued'::text)));
create trigger decisionstep_added after insert on decisionstep referencing new table as added for each statement execute
  function casewright_history_of_decisionstep_added();
create trigger decisionstep_case_changed after update on decisionstep for each row when (new.istrue is distinct from
  old.istrue or new.estimatedcompletion is distinct from old.estimatedcompletion or new.projectedcompletion is distinct
  from old.projectedcompletion or new.actualstart is distinct from old.actualstart or new.actualcompletion is distinct
  from old.actualcompletion or new.canceleddate is distinct from old.canceleddate) execute function
  casewright_case_change_of_step();
create trigger decisionstep_case_created after insert or delete on decisionstep for each row execute function
  casewright_case_change_of_step();
create trigger decisionstep_history after delete or update on decisionstep for each row execute function
  casewright_history_of_decisionstep();
create trigger decisionstep_hold before insert on decisionstep for each row when (new.delayed) execute function
  casewright_decisionstep_hold();
create trigger decisionstep_items after update on decisionstep for each row when (old.delayed is distinct from
  new.delayed or new.delayed and (old.object::text is distinct from new.object::text or old.objectid is distinct from
  new.objectid or old.enforcedelay is distinct from new.enforcedelay or old.actualcompletion is distinct from
  new.actualcompletion or old.canceleddate is distinct from new.canceleddate)) execute function
  casewright_decisionstep_items();
create trigger decisionstep_reach before insert or update of decisionid, reachorganizationid on decisionstep for each
  row execute function casewright_reach_decisionstep();
create trigger decisionstep_reach_links after update on decisionstep for each row when (new.reachorganizationid is
  distinct from old.reachorganizationid) execute function casewright_reach_links();
create trigger decisionstep_reach_spread after update on decisionstep for each row when (new.reachorganizationid is
  distinct from old.reachorganizationid) execute function casewright_reach_spread('DecisionStep');
alter table decisionstep enable row level security;
create policy reach on decisionstep for all to casewright_reach using ((reachorganizationid =
  (current_setting('casewright.firm'::text))::bigint)) with check ((reachorganizationid =
  (current_setting('casewright.firm'::text))::bigint));
create policy report on decisionstep for select to casewright_report using ((reachorganizationid =
  (current_setting('casewright.firm'::text))::bigint));
create policy report_all on decisionstep for select to casewright_report_all using (true);
grant delete, insert, select, update on decisionstep to casewright_reach;
grant select (decisionstepid, decisionstep, status, decisionsteptype, decisionid, decisionsteptemplateid, object,
  objectid, istrue, estimatedstart, estimatedcompletion, projectedstart, projectedcompletion, actualstart,
  actualcompletion, canceleddate, errordate, errorguid, errormessage, teamid, delayed, delaycount, delayduration,
  enforcedelay, queuemessageid, insertedsequence, completedsequence, createddate, createdpersonid, updateddate,
  updatedpersonid, version, custom) on decisionstep to casewright_report;
grant select (decisionstepid, decisionstep, status, decisionsteptype, decisionid, decisionsteptemplateid, object,
  objectid, istrue, estimatedstart, estimatedcompletion, projectedstart, projectedcompletion, actualstart,
  actualcompletion, canceleddate, errordate, errorguid, errormessage, teamid, delayed, delaycount, delayduration,
  enforcedelay, queuemessageid, insertedsequence, completedsequence, createddate, createdpersonid, updateddate,
  updatedpersonid, version, custom) on decisionstep to casewright_report_all;

-- Table decisionstepattempt
create table decisionstepattempt (
  decisionstepid bigint not null,
  token uuid not null,
  outcome jsonb,
  constraint decisionstepattempt_pkey primary key (decisionstepid),
  constraint decisionstepattempt_decisionstepid_fkey foreign key (decisionstepid) references
    decisionstep(decisionstepid) on delete cascade
);

-- Table decisionsteptemplate
create table decisionsteptemplate (
  decisionsteptemplateid bigint generated always as identity not null,
  decisionsteptemplate character varying(100) collate casewright_text,
  status character varying(100) collate casewright_text,
  decisionsteptemplatetype character varying(100) collate casewright_text,
  decisiontemplateid bigint not null,
  sequence integer,
  object character varying(60) collate "C",
  objectid bigint,
  operation character varying(200) collate "C",
  parameters character varying(10000) collate "C",
  method character varying(2000) collate "C",
  batchlog boolean,
  batchsteptheadcount integer,
  stepxml character varying(1000000) collate "C",
  stepxslt character varying(1000000) collate "C",
  durationscale integer,
  estimatedduration numeric,
  referencedate character varying(2000) collate "C",
  repeatability integer,
  async boolean,
  queue character varying(100) collate casewright_text,
  queueparameters character varying(2000) collate "C",
  objectmatrixid bigint,
  monitorscheduleid bigint,
  createoncompletion boolean,
  teamid bigint,
  onstartparentstatus character varying(100) collate casewright_text,
  onstartdecisionstatus character varying(100) collate casewright_text,
  oncompleteparentstatus character varying(100) collate casewright_text,
  oncompletedecisionstatus character varying(100) collate casewright_text,
  description character varying(10000) collate casewright_text,
  createddate timestamp with time zone default now() not null,
  createdpersonid bigint,
  updateddate timestamp with time zone default now() not null,
  updatedpersonid bigint,
  version integer default 1 not null,
  milestone character varying(60) collate casewright_text,
  constraint decisionsteptemplate_pkey primary key (decisionsteptemplateid),
  constraint decisionsteptemplate_decisiontemplateid_fkey foreign key (decisiontemplateid) references
    decisiontemplate(decisiontemplateid) on delete cascade,
  constraint decisionsteptemplate_monitorscheduleid_fkey foreign key (monitorscheduleid) references schedule(scheduleid),
  constraint decisionsteptemplate_objectmatrixid_fkey foreign key (objectmatrixid) references matrix(matrixid),
  constraint decisionsteptemplate_teamid_fkey foreign key (teamid) references collection(collectionid)
);
create unique index decisionsteptemplate_decisionsteptemplate_key on decisionsteptemplate (decisiontemplateid,
  decisionsteptemplate);
create index decisionsteptemplate_decisiontemplateid_idx on decisionsteptemplate (decisiontemplateid);
create index decisionsteptemplate_monitorscheduleid_idx on decisionsteptemplate (monitorscheduleid);
create index decisionsteptemplate_objectmatrixid_idx on decisionsteptemplate (objectmatrixid);
create index decisionsteptemplate_teamid_idx on decisionsteptemplate (teamid);
create trigger decisionsteptemplate_added after insert on decisionsteptemplate referencing new table as added for each
  statement execute function casewright_history_of_decisionsteptemplate_added();
create trigger decisionsteptemplate_case_changed after update on decisionsteptemplate for each row when
  (new.milestone::text is distinct from old.milestone::text) execute function casewright_case_change_of_milestone();
create trigger decisionsteptemplate_configuration after insert or delete or update on decisionsteptemplate for each
  statement execute function casewright_configuration();
create trigger decisionsteptemplate_history after delete or update on decisionsteptemplate for each row execute function
  casewright_history_of_decisionsteptemplate();
create trigger decisionsteptemplate_unsubscribe after delete on decisionsteptemplate referencing old table as gone for
  each statement execute function casewright_matrix_unsubscribe('DecisionStepTemplate');
alter table decisionsteptemplate enable row level security;
create policy reach on decisionsteptemplate for select to casewright_reach, casewright_report, casewright_report_all
  using (true);
grant select on decisionsteptemplate to casewright_reach;
grant select (decisionsteptemplateid, decisionsteptemplate, status, decisionsteptemplatetype, decisiontemplateid,
  sequence, object, objectid, operation, parameters, method, batchlog, batchsteptheadcount, stepxml, stepxslt,
  durationscale, estimatedduration, referencedate, repeatability, async, queue, queueparameters, objectmatrixid,
  monitorscheduleid, createoncompletion, teamid, onstartparentstatus, onstartdecisionstatus, oncompleteparentstatus,
  oncompletedecisionstatus, description, createddate, createdpersonid, updateddate, updatedpersonid, version, milestone)
  on decisionsteptemplate to casewright_report;
grant select (decisionsteptemplateid, decisionsteptemplate, status, decisionsteptemplatetype, decisiontemplateid,
  sequence, object, objectid, operation, parameters, method, batchlog, batchsteptheadcount, stepxml, stepxslt,
  durationscale, estimatedduration, referencedate, repeatability, async, queue, queueparameters, objectmatrixid,
  monitorscheduleid, createoncompletion, teamid, onstartparentstatus, onstartdecisionstatus, oncompleteparentstatus,
  oncompletedecisionstatus, description, createddate, createdpersonid, updateddate, updatedpersonid, version, milestone)
  on decisionsteptemplate to casewright_report_all;

-- Table decisiontemplate
create table decisiontemplate (
  decisiontemplateid bigint generated always as identity not null,
  decisiontemplate character varying(100) collate casewright_text,
  status character varying(100) collate casewright_text,
  decisiontemplatetype character varying(100) collate casewright_text,
  appliesto character varying(60) collate casewright_text,
  repeatable character varying(9) collate casewright_text,
  extranetenabled character varying(4) collate casewright_text,
  description character varying(10000) collate casewright_text,
  enforcestartdates boolean,
  enforcedelay boolean,
  createddate timestamp with time zone default now() not null,
  createdpersonid bigint,
  updateddate timestamp with time zone default now() not null,
  updatedpersonid bigint,
  version integer default 1 not null,
  constraint decisiontemplate_pkey primary key (decisiontemplateid)
);
create unique index decisiontemplate_decisiontemplate_key on decisiontemplate (decisiontemplate, coalesce(appliesto,
  ''::character varying));
create trigger decisiontemplate_added after insert on decisiontemplate referencing new table as added for each statement
  execute function casewright_history_of_decisiontemplate_added();
create trigger decisiontemplate_configuration after insert or delete or update on decisiontemplate for each statement
  execute function casewright_configuration();
create trigger decisiontemplate_history after delete or update on decisiontemplate for each row execute function
  casewright_history_of_decisiontemplate();
alter table decisiontemplate enable row level security;
create policy reach on decisiontemplate for select to casewright_reach, casewright_report, casewright_report_all using
  (true);
grant select on decisiontemplate to casewright_reach;
grant select (decisiontemplateid, decisiontemplate, status, decisiontemplatetype, appliesto, repeatable,
  extranetenabled, description, enforcestartdates, enforcedelay, createddate, createdpersonid, updateddate,
  updatedpersonid, version) on decisiontemplate to casewright_report;
grant select (decisiontemplateid, decisiontemplate, status, decisiontemplatetype, appliesto, repeatable,
  extranetenabled, description, enforcestartdates, enforcedelay, createddate, createdpersonid, updateddate,
  updatedpersonid, version) on decisiontemplate to casewright_report_all;

-- Table decisiontemplatecontent
create table decisiontemplatecontent (
  decisiontemplateversionid bigint not null,
  content jsonb not null,
  constraint decisiontemplatecontent_pkey primary key (decisiontemplateversionid),
  constraint decisiontemplatecontent_decisiontemplateversionid_fkey foreign key (decisiontemplateversionid) references
    decisiontemplateversion(decisiontemplateversionid) on delete cascade
);
alter table decisiontemplatecontent enable row level security;

-- Table decisiontemplateversion
create table decisiontemplateversion (
  decisiontemplateversionid bigint generated always as identity not null,
  decisiontemplateversion character varying(100) collate casewright_text,
  status character varying(100) collate casewright_text,
  decisiontemplateversiontype character varying(100) collate casewright_text,
  decisiontemplateid bigint not null,
  stepcount integer,
  callid character varying(36) collate "C",
  createddate timestamp with time zone default now() not null,
  createdpersonid bigint,
  updateddate timestamp with time zone default now() not null,
  updatedpersonid bigint,
  version integer default 1 not null,
  constraint decisiontemplateversion_pkey primary key (decisiontemplateversionid),
  constraint decisiontemplateversion_decisiontemplateid_fkey foreign key (decisiontemplateid) references
    decisiontemplate(decisiontemplateid) on delete cascade
);
create index decisiontemplateversion_decisiontemplateid_idx on decisiontemplateversion (decisiontemplateid);
alter table decisiontemplateversion enable row level security;

-- Table delivery
create table delivery (
  deliveryid bigint generated always as identity not null,
  delivery character varying(255) collate casewright_text,
  status character varying(100) collate casewright_text,
  deliverytype character varying(100) collate casewright_text,
  deliverybatchid bigint not null,
  object character varying(60) collate "C",
  objectid bigint,
  attachmentid bigint,
  attachmenttemplateid bigint,
  filehash character varying(64) collate "C",
  contactid bigint,
  recipientname character varying(255) collate casewright_text,
  street character varying(255) collate casewright_text,
  city character varying(100) collate casewright_text,
  state character varying(2) collate casewright_text,
  postalcode character varying(10) collate casewright_text,
  mailhouse character varying(100) collate casewright_text,
  mailclass character varying(40) collate casewright_text,
  pages integer,
  sheets integer,
  cost numeric(19,4),
  letterkey character varying(36) collate "C" not null,
  submissionkey character varying(80) collate "C",
  reference character varying(200) collate "C",
  trackingnumber character varying(60) collate "C",
  begundate timestamp with time zone,
  prepareddate timestamp with time zone,
  submitteddate timestamp with time zone,
  maileddate timestamp with time zone,
  delivereddate timestamp with time zone,
  returneddate timestamp with time zone,
  canceleddate timestamp with time zone,
  faileddate timestamp with time zone,
  unknowndate timestamp with time zone,
  trackeddate timestamp with time zone,
  reason character varying(300) collate "C",
  createddate timestamp with time zone default now() not null,
  createdpersonid bigint,
  updateddate timestamp with time zone default now() not null,
  updatedpersonid bigint,
  version integer default 1 not null,
  reachorganizationid bigint,
  custom jsonb,
  constraint delivery_pkey primary key (deliveryid),
  constraint delivery_check check (begundate is not null or (status::text <> all (array['Unknown'::character varying,
    'Submitted'::character varying, 'Mailed'::character varying, 'Delivered'::character varying, 'Returned'::character
    varying]::text[]))),
  constraint delivery_custom_check check (jsonb_typeof(custom) = 'object'::text),
  constraint delivery_status_check check (status::text = any (array['Preparing'::character varying,
    'Prepared'::character varying, 'Queued'::character varying, 'Unknown'::character varying, 'Submitted'::character
    varying, 'Mailed'::character varying, 'Delivered'::character varying, 'Returned'::character varying,
    'Canceled'::character varying, 'Failed'::character varying]::text[])),
  constraint delivery_attachmentid_fkey foreign key (attachmentid) references attachment(attachmentid),
  constraint delivery_attachmenttemplateid_fkey foreign key (attachmenttemplateid) references
    attachmenttemplate(attachmenttemplateid),
  constraint delivery_contactid_fkey foreign key (contactid) references contact(contactid),
  constraint delivery_deliverybatchid_fkey foreign key (deliverybatchid) references deliverybatch(deliverybatchid)
);
create index delivery_attachmentid_idx on delivery (attachmentid);
create index delivery_attachmenttemplateid_idx on delivery (attachmenttemplateid) where (attachmenttemplateid is not
  null);
create index delivery_contactid_idx on delivery (contactid, status);
create index delivery_deliverybatchid_idx on delivery (deliverybatchid, status);
create unique index delivery_letterkey_key on delivery (letterkey);
create index delivery_object_idx on delivery (objectid, object);
create index delivery_open_idx on delivery (trackeddate nulls first, deliveryid) where ((status)::text = any
  ((array['Unknown'::character varying, 'Submitted'::character varying, 'Mailed'::character varying])::text[]));
create index delivery_reach_idx on delivery (reachorganizationid, createddate);
create trigger delivery_added after insert on delivery referencing new table as added for each statement execute
  function casewright_history_of_delivery_added();
create trigger delivery_history after delete or update on delivery for each row execute function
  casewright_history_of_delivery('trackeddate');
create trigger delivery_reach before insert or update of attachmentid, reachorganizationid on delivery for each row
  execute function casewright_reach_delivery();
create trigger delivery_reach_links after update on delivery for each row when (new.reachorganizationid is distinct from
  old.reachorganizationid) execute function casewright_reach_links();
alter table delivery enable row level security;
create policy reach on delivery for all to casewright_reach using ((reachorganizationid =
  (current_setting('casewright.firm'::text))::bigint)) with check ((reachorganizationid =
  (current_setting('casewright.firm'::text))::bigint));
create policy report on delivery for select to casewright_report using ((reachorganizationid =
  (current_setting('casewright.firm'::text))::bigint));
create policy report_all on delivery for select to casewright_report_all using (true);
grant delete, insert, select, update on delivery to casewright_reach;
grant select (deliveryid, delivery, status, deliverytype, deliverybatchid, object, objectid, attachmentid,
  attachmenttemplateid, filehash, contactid, recipientname, street, city, state, postalcode, mailhouse, mailclass,
  pages, sheets, cost, letterkey, submissionkey, reference, trackingnumber, begundate, prepareddate, submitteddate,
  maileddate, delivereddate, returneddate, canceleddate, faileddate, unknowndate, trackeddate, reason, createddate,
  createdpersonid, updateddate, updatedpersonid, version, custom) on delivery to casewright_report;
grant select (deliveryid, delivery, status, deliverytype, deliverybatchid, object, objectid, attachmentid,
  attachmenttemplateid, filehash, contactid, recipientname, street, city, state, postalcode, mailhouse, mailclass,
  pages, sheets, cost, letterkey, submissionkey, reference, trackingnumber, begundate, prepareddate, submitteddate,
  maileddate, delivereddate, returneddate, canceleddate, faileddate, unknowndate, trackeddate, reason, createddate,
  createdpersonid, updateddate, updatedpersonid, version, custom) on delivery to casewright_report_all;

-- Table deliverybatch
create table deliverybatch (
  deliverybatchid bigint generated always as identity not null,
  deliverybatch character varying(255) collate casewright_text,
  status character varying(100) collate casewright_text,
  deliverybatchtype character varying(100) collate casewright_text,
  mailhouse character varying(100) collate casewright_text,
  mailclass character varying(40) collate casewright_text,
  batchkey character varying(100) collate "C",
  attempts integer,
  nextattempt timestamp with time zone,
  retryuntil timestamp with time zone,
  leaseduntil timestamp with time zone,
  requesteddate timestamp with time zone,
  requestedpersonid bigint,
  lasterror character varying(300) collate "C",
  createddate timestamp with time zone default now() not null,
  createdpersonid bigint,
  updateddate timestamp with time zone default now() not null,
  updatedpersonid bigint,
  version integer default 1 not null,
  constraint deliverybatch_pkey primary key (deliverybatchid),
  constraint deliverybatch_check check ((status::text = 'Sending'::text) = (leaseduntil is not null)),
  constraint deliverybatch_status_check check (status::text = any (array['Preparing'::character varying,
    'Prepared'::character varying, 'Waiting'::character varying, 'Sending'::character varying, 'Submitted'::character
    varying, 'Canceled'::character varying]::text[]))
);
create unique index deliverybatch_batchkey_key on deliverybatch (batchkey);
create index deliverybatch_due_idx on deliverybatch (nextattempt) where ((status)::text = any
  ((array['Waiting'::character varying, 'Sending'::character varying])::text[]));
create trigger deliverybatch_added after insert on deliverybatch referencing new table as added for each statement
  execute function casewright_history_of_deliverybatch_added();
create trigger deliverybatch_history after delete or update on deliverybatch for each row execute function
  casewright_history_of_deliverybatch('leaseduntil');
alter table deliverybatch enable row level security;
grant select (deliverybatchid, deliverybatch, status, deliverybatchtype, mailhouse, mailclass, batchkey, attempts,
  nextattempt, retryuntil, leaseduntil, requesteddate, requestedpersonid, lasterror, createddate, createdpersonid,
  updateddate, updatedpersonid, version) on deliverybatch to casewright_report;
grant select (deliverybatchid, deliverybatch, status, deliverybatchtype, mailhouse, mailclass, batchkey, attempts,
  nextattempt, retryuntil, leaseduntil, requesteddate, requestedpersonid, lasterror, createddate, createdpersonid,
  updateddate, updatedpersonid, version) on deliverybatch to casewright_report_all;

-- Table deliverynotice
create table deliverynotice (
  mailhouse character varying(100) collate casewright_text not null,
  notice character varying(200) collate "C" not null,
  receiveddate timestamp with time zone not null,
  constraint deliverynotice_pkey primary key (mailhouse, notice)
);
create index deliverynotice_receiveddate_idx on deliverynotice (receiveddate);

-- Table demoworld
create table demoworld (
  onlyrow boolean default true not null,
  cases integer not null,
  played integer default 0 not null,
  starteddate timestamp with time zone not null,
  finisheddate timestamp with time zone,
  failure text collate "C",
  constraint demoworld_pkey primary key (onlyrow),
  constraint demoworld_onlyrow_check check (onlyrow),
  constraint demoworld_played_check check (played >= 0 and played <= cases)
);

-- Table documentimage
create table documentimage (
  attachmentid bigint not null,
  version character varying(64) collate "C" not null,
  page integer not null,
  width integer not null,
  image bytea storage external not null,
  useddate date default CURRENT_DATE not null,
  constraint documentimage_pkey primary key (attachmentid, version, page, width),
  constraint documentimage_page_check check (page > 0 and width > 0),
  constraint documentimage_attachmentid_fkey foreign key (attachmentid) references attachment(attachmentid) on delete
    cascade
);
create index documentimage_useddate_idx on documentimage (useddate);
alter table documentimage enable row level security;

-- Table documentpage
create table documentpage (
  attachmentid bigint not null,
  page integer not null,
  version character varying(64) collate "C",
  reachorganizationid bigint,
  source character varying(20) collate "C" not null,
  body text not null,
  boxes bytea storage external,
  words tsvector storage main not null,
  constraint documentpage_pkey primary key (attachmentid, page),
  constraint documentpage_page_check check (page >= 0),
  constraint documentpage_source_check check (source::text = any (array['Name'::character varying, 'Text'::character
    varying, 'Section'::character varying, 'Picture'::character varying, 'Recognized'::character varying,
    'Unreadable'::character varying]::text[])),
  constraint documentpage_attachmentid_fkey foreign key (attachmentid) references documenttext(attachmentid) on delete
    cascade
);
create index documentpage_picture_idx on documentpage (attachmentid, page) where ((source)::text = 'Picture'::text);
create index documentpage_text_idx on documentpage using gin (words, casewright_page_pairs(words)) with
  (gin_pending_list_limit='512');
create trigger documentpage_words_added after insert on documentpage referencing new table as added for each statement
  execute function casewright_note_words();
create trigger documentpage_words_changed after update on documentpage referencing new table as added for each statement
  execute function casewright_note_words();
alter table documentpage enable row level security;
create policy reach on documentpage for select to casewright_reach using ((reachorganizationid =
  (current_setting('casewright.firm'::text))::bigint));
grant select on documentpage to casewright_reach;

-- Table documentrendition
create table documentrendition (
  filehash character varying(64) collate "C" not null,
  sourcetype character varying(255) collate "C" not null,
  mimetype character varying(255) collate "C" not null,
  fileobject character varying(100) collate casewright_text,
  filepath character varying(1000) collate "C",
  filesize integer,
  resulthash character varying(64) collate "C",
  extension character varying(10) collate "C",
  attempt integer default 1 not null,
  leaseduntil timestamp with time zone,
  createddate timestamp with time zone default now() not null,
  useddate timestamp with time zone default now() not null,
  constraint documentrendition_pkey primary key (filehash, sourcetype, mimetype),
  constraint documentrendition_file_check check ((filepath is null) = (fileobject is null) and (filepath is null) =
    (filesize is null) and (filepath is null) = (resulthash is null))
);
create index documentrendition_filepath_idx on documentrendition (filepath);
create index documentrendition_useddate_idx on documentrendition (useddate);
alter table documentrendition enable row level security;

-- Table documentscan
create table documentscan (
  attachmentid bigint not null,
  number integer not null,
  earlier boolean default false not null,
  token uuid,
  leaseduntil timestamp with time zone,
  duedate timestamp with time zone,
  failures integer default 0 not null,
  reason character varying(300) collate casewright_text,
  createddate timestamp with time zone default now() not null,
  constraint documentscan_pkey primary key (attachmentid, number),
  constraint documentscan_attachmentid_fkey foreign key (attachmentid) references attachment(attachmentid) on delete
    cascade
);
create index documentscan_due_idx on documentscan (earlier, attachmentid);
create index documentscan_leased_idx on documentscan (leaseduntil) where (leaseduntil is not null);
alter table documentscan enable row level security;

-- Table documenttext
create table documenttext (
  attachmentid bigint not null,
  version character varying(64) collate "C",
  state character varying(20) collate "C" default 'Waiting'::character varying not null,
  reason character varying(500),
  pagecount integer,
  pagesread integer default 0 not null,
  pictures integer default 0 not null,
  recognized integer default 0 not null,
  namedue boolean default true not null,
  requested boolean default false not null,
  attempt integer default 0 not null,
  failures integer default 0 not null,
  leaseduntil timestamp with time zone,
  updateddate timestamp with time zone default now() not null,
  duedate timestamp with time zone,
  constraint documenttext_pkey primary key (attachmentid),
  constraint documenttext_pages_check check (pagesread >= 0 and recognized >= 0 and recognized <= pictures),
  constraint documenttext_state_check check (state::text = any (array['Waiting'::character varying, 'Reading'::character
    varying, 'Ready'::character varying, 'Unrecognized'::character varying, 'Failed'::character varying]::text[])),
  constraint documenttext_attachmentid_fkey foreign key (attachmentid) references attachment(attachmentid) on delete
    cascade
);
create index documenttext_due_idx on documenttext (requested, attachmentid) where (namedue or ((state)::text = any
  ((array['Waiting'::character varying, 'Reading'::character varying])::text[])));
create index documenttext_leased_idx on documenttext (leaseduntil) where (leaseduntil is not null);
create index documenttext_unrecognized_idx on documenttext (attachmentid) where ((state)::text = 'Unrecognized'::text);
alter table documenttext enable row level security;

-- Table documentversion
create table documentversion (
  attachmentid bigint not null,
  number integer not null,
  filename character varying(255) collate casewright_text,
  mimetype character varying(255) collate "C",
  filesize integer,
  filehash character varying(64) collate "C",
  fileobject character varying(100) collate casewright_text not null,
  filepath character varying(1000) collate "C" not null,
  replaceddate timestamp with time zone not null,
  replacedpersonid bigint,
  scanstate character varying(8) collate casewright_text,
  scandate timestamp with time zone,
  scanresult character varying(300) collate casewright_text,
  sealed boolean default false not null,
  sealdue boolean default false not null,
  constraint documentversion_pkey primary key (attachmentid, number),
  constraint documentversion_scanstate_check check (scanstate::text = any (array['Waiting'::character varying,
    'Clean'::character varying, 'Infected'::character varying, 'TooLarge'::character varying, 'Failed'::character varying,
    'Released'::character varying]::text[]))
);
create index documentversion_filepath_idx on documentversion (filepath);
create index documentversion_sealdue_idx on documentversion (attachmentid) where sealdue;
create index documentversion_unscanned_idx on documentversion (attachmentid, number) where (scanstate is null);
alter table documentversion enable row level security;

-- Table documentword
create table documentword (
  word character varying(64) collate "C" not null,
  constraint documentword_pkey primary key (word)
);
alter table documentword enable row level security;

-- Table errorlog
create table errorlog (
  errorlogid bigint generated always as identity not null,
  errorlog character varying(2000) collate casewright_text,
  status character varying(100) collate casewright_text,
  errorlogtype character varying(100) collate casewright_text,
  errorguid character varying(64) collate "C",
  operation character varying(200) collate casewright_text,
  cause character varying(2000) collate casewright_text,
  stack character varying(8000) collate casewright_text,
  personid bigint,
  createddate timestamp with time zone default now() not null,
  createdpersonid bigint,
  updateddate timestamp with time zone default now() not null,
  updatedpersonid bigint,
  version integer default 1 not null,
  constraint errorlog_pkey primary key (errorlogid),
  constraint errorlog_personid_fkey foreign key (personid) references person(personid)
);
create index errorlog_createddate_idx on errorlog using brin (createddate);
create index errorlog_errorguid_idx on errorlog (errorguid);
create index errorlog_personid_idx on errorlog (personid);
alter table errorlog enable row level security;

-- Table event
create table event (
  eventid bigint generated always as identity not null,
  event character varying(255) collate casewright_text,
  status character varying(100) collate casewright_text,
  eventtype character varying(100) collate casewright_text,
  object character varying(60) collate "C",
  objectid bigint,
  recordtype character varying(100) collate casewright_text,
  providercode character varying(50) collate casewright_text,
  businesseventcode character varying(100) collate casewright_text,
  businesseventname character varying(255) collate casewright_text,
  sourcesystemcode character varying(100) collate casewright_text,
  servicercode character varying(100) collate casewright_text,
  servicername character varying(255) collate casewright_text,
  servicerloannumberid character varying(100) collate casewright_text,
  eventactualdate timestamp with time zone,
  eventcreateddate timestamp with time zone,
  eventrecordeddate timestamp with time zone,
  eventprocessid character varying(100) collate casewright_text,
  processorid character varying(100) collate casewright_text,
  processorname character varying(255) collate casewright_text,
  delaytypecode character varying(100) collate casewright_text,
  subservicercode character varying(100) collate casewright_text,
  subservicername character varying(255) collate casewright_text,
  investorcode character varying(100) collate casewright_text,
  investorname character varying(255) collate casewright_text,
  investorloannumberid character varying(50) collate casewright_text,
  investorservicerid character varying(100) collate casewright_text,
  delayactualstartdate date,
  delayprojectedenddate date,
  delayendreasoncode character varying(100) collate casewright_text,
  delaydetails character varying(10000) collate casewright_text,
  primaryborrowerlastname character varying(100) collate casewright_text,
  primaryborrowerfirstname character varying(100) collate casewright_text,
  secondaryborrowerlastname character varying(100) collate casewright_text,
  secondaryborrowerfirstname character varying(100) collate casewright_text,
  propertyaddressansistatecode character varying(100) collate casewright_text,
  propertycountyansicode character varying(100) collate casewright_text,
  propertycountryisocode character varying(100) collate casewright_text,
  propertyprimaryresidenceindicator character varying(100) collate casewright_text,
  dwellingresidencetype character varying(100) collate casewright_text,
  originalmortgageamount numeric(19,4),
  unpaidprincipalbalanceamount numeric(19,4),
  oldestunpaidinstallmentdate date,
  loanoriginationclosingdate date,
  litigationindicator character varying(100) collate casewright_text,
  lienprioritytype character varying(100) collate casewright_text,
  mortgagetype character varying(100) collate casewright_text,
  mortgagefinancetype character varying(100) collate casewright_text,
  loanmilitaryprotectionstatusindicator character varying(100) collate casewright_text,
  servicingportfoliopoolcertid character varying(100) collate casewright_text,
  servicingportfoliopoolcertissuedate date,
  ficoscorevl character varying(100) collate casewright_text,
  guarantorcode character varying(100) collate casewright_text,
  guarantorloannumberid character varying(100) collate casewright_text,
  miinsurercode character varying(100) collate casewright_text,
  mipayertype character varying(100) collate casewright_text,
  insurermicertid character varying(100) collate casewright_text,
  insurermicertdate date,
  assignedfcattorneycode character varying(100) collate casewright_text,
  fcattorneyfileid character varying(50) collate casewright_text,
  fcmethodtype character varying(100) collate casewright_text,
  propertycurrentoccupancytype character varying(100) collate casewright_text,
  fcsaleresulttype character varying(100) collate casewright_text,
  fcsalescheduleddate date,
  fcsalerescissionreasoncode character varying(100) collate casewright_text,
  legalprocessservicemethodtype character varying(100) collate casewright_text,
  fcjudgmenttype character varying(100) collate casewright_text,
  pursuedeficiencyindicator character varying(100) collate casewright_text,
  restartindicator character varying(100) collate casewright_text,
  fcsalechangedreasoncode character varying(100) collate casewright_text,
  presaleborrowerrighttocureenddate date,
  judgmentamount numeric(19,4),
  instateserviceindicator character varying(100) collate casewright_text,
  fcstatustype character varying(100) collate casewright_text,
  fcfileclosedreasontype character varying(100) collate casewright_text,
  fcsalebidamount numeric(19,4),
  propertyinspectiontypecode character varying(100) collate casewright_text,
  redemptionperiodprojectedenddate date,
  finallawdate date,
  bkstatusindicator character varying(100) collate casewright_text,
  assignedbkattorneycode character varying(100) collate casewright_text,
  bkborrowerintenttosurrenderpropertyindicator character varying(100) collate casewright_text,
  bkcasenumberid character varying(50) collate casewright_text,
  bkchaptertypecode character varying(100) collate casewright_text,
  bkdistrictcode character varying(100) collate casewright_text,
  bkdistrictname character varying(255) collate casewright_text,
  bkfilertype character varying(100) collate casewright_text,
  bkfilingdate date,
  bkfilinglastpaidinstallmentdate date,
  bkfilingansistatecode character varying(100) collate casewright_text,
  bkpostpetitionplandate date,
  bkreferraltype character varying(100) collate casewright_text,
  bkplanamendedtype character varying(100) collate casewright_text,
  bkpocbardate date,
  bkpostpetitionpaymentamount numeric(19,4),
  bkpostpetitionpaymentduedate date,
  propertyvaluationmethodtype character varying(100) collate casewright_text,
  propertyvaluationamount numeric(19,4),
  propertyvaluationdate date,
  paymentchangenoticereasontype character varying(100) collate casewright_text,
  mfrrequestedreasontype character varying(100) collate casewright_text,
  filingdispositiontype character varying(100) collate casewright_text,
  trusteepayallindicator character varying(100) collate casewright_text,
  cramdownindicator character varying(100) collate casewright_text,
  cramdownamount numeric(19,4),
  propertyvalueasassetindicator character varying(100) collate casewright_text,
  propertysalepriceamount numeric(19,4),
  loandelinquencyeventtype character varying(100) collate casewright_text,
  servicingtransferorcode character varying(100) collate casewright_text,
  servicingtransferorname character varying(255) collate casewright_text,
  servicingtransfereecode character varying(100) collate casewright_text,
  servicingtransfereename character varying(255) collate casewright_text,
  propertycountyansiname character varying(255) collate casewright_text,
  assignedfcattorneyname character varying(255) collate casewright_text,
  assignedbkattorneyname character varying(255) collate casewright_text,
  documenttypecode character varying(100) collate casewright_text,
  importfileid bigint,
  sourceline integer,
  organizationid bigint,
  loanid bigint,
  importformid bigint,
  decisiondelayid bigint,
  createddate timestamp with time zone default now() not null,
  createdpersonid bigint,
  updateddate timestamp with time zone default now() not null,
  updatedpersonid bigint,
  version integer default 1 not null,
  reachorganizationid bigint generated always as (organizationid) stored,
  constraint event_pkey primary key (eventid)
);
create index event_importfileid_idx on event using brin (importfileid) with (autosummarize='on');
create index event_object_idx on event (objectid, object);
create index event_reach_idx on event (reachorganizationid, createddate);
create trigger event_reach_links after update on event for each row when (new.reachorganizationid is distinct from
  old.reachorganizationid) execute function casewright_reach_links();
alter table event enable row level security;
create policy reach on event for all to casewright_reach using ((reachorganizationid =
  (current_setting('casewright.firm'::text))::bigint)) with check ((reachorganizationid =
  (current_setting('casewright.firm'::text))::bigint));
create policy report on event for select to casewright_report using ((reachorganizationid =
  (current_setting('casewright.firm'::text))::bigint));
create policy report_all on event for select to casewright_report_all using (true);
grant delete, insert, select, update on event to casewright_reach;
grant select (eventid, event, status, eventtype, object, objectid, recordtype, providercode, businesseventcode,
  businesseventname, sourcesystemcode, servicercode, servicername, servicerloannumberid, eventactualdate,
  eventcreateddate, eventrecordeddate, eventprocessid, processorid, processorname, delaytypecode, subservicercode,
  subservicername, investorcode, investorname, investorloannumberid, investorservicerid, delayactualstartdate,
  delayprojectedenddate, delayendreasoncode, delaydetails, primaryborrowerlastname, primaryborrowerfirstname,
  secondaryborrowerlastname, secondaryborrowerfirstname, propertyaddressansistatecode, propertycountyansicode,
  propertycountryisocode, propertyprimaryresidenceindicator, dwellingresidencetype, originalmortgageamount,
  unpaidprincipalbalanceamount, oldestunpaidinstallmentdate, loanoriginationclosingdate, litigationindicator,
  lienprioritytype, mortgagetype, mortgagefinancetype, loanmilitaryprotectionstatusindicator,
  servicingportfoliopoolcertid, servicingportfoliopoolcertissuedate, ficoscorevl, guarantorcode, guarantorloannumberid,
  miinsurercode, mipayertype, insurermicertid, insurermicertdate, assignedfcattorneycode, fcattorneyfileid,
  fcmethodtype, propertycurrentoccupancytype, fcsaleresulttype, fcsalescheduleddate, fcsalerescissionreasoncode,
  legalprocessservicemethodtype, fcjudgmenttype, pursuedeficiencyindicator, restartindicator, fcsalechangedreasoncode,
  presaleborrowerrighttocureenddate, judgmentamount, instateserviceindicator, fcstatustype, fcfileclosedreasontype,
  fcsalebidamount, propertyinspectiontypecode, redemptionperiodprojectedenddate, finallawdate, bkstatusindicator,
  assignedbkattorneycode, bkborrowerintenttosurrenderpropertyindicator, bkcasenumberid, bkchaptertypecode,
  bkdistrictcode, bkdistrictname, bkfilertype, bkfilingdate, bkfilinglastpaidinstallmentdate, bkfilingansistatecode,
  bkpostpetitionplandate, bkreferraltype, bkplanamendedtype, bkpocbardate, bkpostpetitionpaymentamount,
  bkpostpetitionpaymentduedate, propertyvaluationmethodtype, propertyvaluationamount, propertyvaluationdate,
  paymentchangenoticereasontype, mfrrequestedreasontype, filingdispositiontype, trusteepayallindicator,
  cramdownindicator, cramdownamount, propertyvalueasassetindicator, propertysalepriceamount, loandelinquencyeventtype,
  servicingtransferorcode, servicingtransferorname, servicingtransfereecode, servicingtransfereename,
  propertycountyansiname, assignedfcattorneyname, assignedbkattorneyname, documenttypecode, importfileid, sourceline,
  organizationid, loanid, importformid, decisiondelayid, createddate, createdpersonid, updateddate, updatedpersonid,
  version) on event to casewright_report;
grant select (eventid, event, status, eventtype, object, objectid, recordtype, providercode, businesseventcode,
  businesseventname, sourcesystemcode, servicercode, servicername, servicerloannumberid, eventactualdate,
  eventcreateddate, eventrecordeddate, eventprocessid, processorid, processorname, delaytypecode, subservicercode,
  subservicername, investorcode, investorname, investorloannumberid, investorservicerid, delayactualstartdate,
  delayprojectedenddate, delayendreasoncode, delaydetails, primaryborrowerlastname, primaryborrowerfirstname,
  secondaryborrowerlastname, secondaryborrowerfirstname, propertyaddressansistatecode, propertycountyansicode,
  propertycountryisocode, propertyprimaryresidenceindicator, dwellingresidencetype, originalmortgageamount,
  unpaidprincipalbalanceamount, oldestunpaidinstallmentdate, loanoriginationclosingdate, litigationindicator,
  lienprioritytype, mortgagetype, mortgagefinancetype, loanmilitaryprotectionstatusindicator,
  servicingportfoliopoolcertid, servicingportfoliopoolcertissuedate, ficoscorevl, guarantorcode, guarantorloannumberid,
  miinsurercode, mipayertype, insurermicertid, insurermicertdate, assignedfcattorneycode, fcattorneyfileid,
  fcmethodtype, propertycurrentoccupancytype, fcsaleresulttype, fcsalescheduleddate, fcsalerescissionreasoncode,
  legalprocessservicemethodtype, fcjudgmenttype, pursuedeficiencyindicator, restartindicator, fcsalechangedreasoncode,
  presaleborrowerrighttocureenddate, judgmentamount, instateserviceindicator, fcstatustype, fcfileclosedreasontype,
  fcsalebidamount, propertyinspectiontypecode, redemptionperiodprojectedenddate, finallawdate, bkstatusindicator,
  assignedbkattorneycode, bkborrowerintenttosurrenderpropertyindicator, bkcasenumberid, bkchaptertypecode,
  bkdistrictcode, bkdistrictname, bkfilertype, bkfilingdate, bkfilinglastpaidinstallmentdate, bkfilingansistatecode,
  bkpostpetitionplandate, bkreferraltype, bkplanamendedtype, bkpocbardate, bkpostpetitionpaymentamount,
  bkpostpetitionpaymentduedate, propertyvaluationmethodtype, propertyvaluationamount, propertyvaluationdate,
  paymentchangenoticereasontype, mfrrequestedreasontype, filingdispositiontype, trusteepayallindicator,
  cramdownindicator, cramdownamount, propertyvalueasassetindicator, propertysalepriceamount, loandelinquencyeventtype,
  servicingtransferorcode, servicingtransferorname, servicingtransfereecode, servicingtransfereename,
  propertycountyansiname, assignedfcattorneyname, assignedbkattorneyname, documenttypecode, importfileid, sourceline,
  organizationid, loanid, importformid, decisiondelayid, createddate, createdpersonid, updateddate, updatedpersonid,
  version) on event to casewright_report_all;

-- Table eventcode
create table eventcode (
  eventcodeid bigint generated always as identity not null,
  eventcode character varying(100) collate casewright_text,
  status character varying(100) collate casewright_text,
  eventcodetype character varying(100) collate casewright_text,
  description character varying(10000) collate casewright_text,
  casekind character varying(11) collate casewright_text,
  importformtemplateid bigint,
  taskdate character varying(9) collate casewright_text,
  casestatus character varying(100) collate casewright_text,
  decisiondelaytemplateid bigint,
  createddate timestamp with time zone default now() not null,
  createdpersonid bigint,
  updateddate timestamp with time zone default now() not null,
  updatedpersonid bigint,
  version integer default 1 not null,
  constraint eventcode_pkey primary key (eventcodeid),
  constraint eventcode_decisiondelaytemplateid_fkey foreign key (decisiondelaytemplateid) references
    decisiondelaytemplate(decisiondelaytemplateid),
  constraint eventcode_importformtemplateid_fkey foreign key (importformtemplateid) references
    importformtemplate(importformtemplateid)
);
create index eventcode_decisiondelaytemplateid_idx on eventcode (decisiondelaytemplateid);
create unique index eventcode_eventcode_key on eventcode (eventcode);
create index eventcode_importformtemplateid_idx on eventcode (importformtemplateid);
create trigger eventcode_added after insert on eventcode referencing new table as added for each statement execute
  function casewright_history_of_eventcode_added();
create trigger eventcode_configuration after insert or delete or update on eventcode for each statement execute function
  casewright_configuration();
create trigger eventcode_history after delete or update on eventcode for each row execute function
  casewright_history_of_eventcode();
alter table eventcode enable row level security;
create policy reach on eventcode for select to casewright_reach, casewright_report, casewright_report_all using (true);
grant select on eventcode to casewright_reach;
grant select (eventcodeid, eventcode, status, eventcodetype, description, casekind, importformtemplateid, taskdate,
  casestatus, decisiondelaytemplateid, createddate, createdpersonid, updateddate, updatedpersonid, version) on eventcode
  to casewright_report;
grant select (eventcodeid, eventcode, status, eventcodetype, description, casekind, importformtemplateid, taskdate,
  casestatus, decisiondelaytemplateid, createddate, createdpersonid, updateddate, updatedpersonid, version) on eventcode
  to casewright_report_all;

-- Table eventstate
create table eventstate (
  processid bigint not null,
  at timestamp with time zone default '-infinity'::timestamp with time zone not null,
  created timestamp with time zone default '-infinity'::timestamp with time zone not null,
  recorded timestamp with time zone default '-infinity'::timestamp with time zone not null,
  code text collate "C" default ''::text not null,
  status character varying(100) collate "C",
  reason character varying(255) collate "C",
  importfileid bigint,
  made boolean default false not null,
  constraint eventstate_pkey primary key (processid)
);
create index eventstate_importfileid_idx on eventstate (importfileid) where (importfileid is not null);

-- Table expectedfile
create table expectedfile (
  location character varying(100) collate casewright_text not null,
  kind character varying(60) collate "C" not null,
  path character varying(1000) collate "C" not null,
  pattern character varying(500) collate "C" not null,
  expectedby character varying(200) collate "C" not null,
  duedate timestamp with time zone not null,
  hascome boolean default false not null,
  ismissing boolean default false not null,
  constraint expectedfile_pkey primary key (location, kind, path, pattern, expectedby)
);

-- Table filecontent
create table filecontent (
  filecontentid bigint generated always as identity not null,
  fileobjectid bigint not null,
  size bigint,
  createddate timestamp with time zone not null,
  constraint filecontent_pkey primary key (filecontentid),
  constraint filecontent_fileobjectid_fkey foreign key (fileobjectid) references fileobject(fileobjectid)
);
create index filecontent_fileobjectid_idx on filecontent (fileobjectid, createddate);

-- Table fileobject
create table fileobject (
  fileobjectid bigint generated always as identity not null,
  fileobject character varying(100) collate casewright_text,
  status character varying(100) collate casewright_text,
  fileobjecttype character varying(100) collate casewright_text,
  description character varying(2000) collate casewright_text,
  folder character varying(500) collate "C",
  endpoint character varying(500) collate "C",
  region character varying(40) collate "C",
  bucket character varying(63) collate "C",
  pathstyle boolean,
  accesskeyid character varying(200) collate "C",
  secretaccesskey character varying(2000) collate "C",
  host character varying(255) collate "C",
  port integer,
  username character varying(200) collate "C",
  password character varying(2000) collate "C",
  privatekey character varying(30000) collate "C",
  passphrase character varying(2000) collate "C",
  hostkey character varying(1000) collate "C",
  connectionsmax integer,
  timeoutseconds integer,
  createddate timestamp with time zone default now() not null,
  createdpersonid bigint,
  updateddate timestamp with time zone default now() not null,
  updatedpersonid bigint,
  version integer default 1 not null,
  options character varying(10000) collate "C",
  secrets character varying(30000) collate "C",
  constraint fileobject_pkey primary key (fileobjectid)
);
create unique index fileobject_fileobject_idx on fileobject (fileobject);
create trigger fileobject_added after insert on fileobject referencing new table as added for each statement execute
  function casewright_history_of_fileobject_added();
create trigger fileobject_configuration after insert or delete or update on fileobject for each statement execute
  function casewright_configuration();
create trigger fileobject_history after delete or update on fileobject for each row execute function
  casewright_history_of_fileobject('secretaccesskey', 'password', 'privatekey', 'passphrase', 'secrets');
alter table fileobject enable row level security;

-- Table filepiece
create table filepiece (
  filecontentid bigint not null,
  "position" integer not null,
  bytes bytea storage external not null,
  constraint filepiece_pkey primary key (filecontentid, "position"),
  constraint filepiece_filecontentid_fkey foreign key (filecontentid) references filecontent(filecontentid) on delete
    cascade
);

-- Table fileremoval
create table fileremoval (
  fileobject character varying(100) collate casewright_text not null,
  filepath character varying(1000) collate "C" not null,
  createddate timestamp with time zone not null,
  constraint fileremoval_pkey primary key (fileobject, filepath)
);
create index fileremoval_createddate_idx on fileremoval (createddate);
alter table fileremoval enable row level security;

-- Table follow
create table follow (
  followid bigint generated always as identity not null,
  follow character varying(255) collate casewright_text,
  status character varying(100) collate casewright_text,
  followtype character varying(100) collate casewright_text,
  personid bigint not null,
  object character varying(60) collate "C" not null,
  objectid bigint not null,
  createddate timestamp with time zone default now() not null,
  createdpersonid bigint,
  updateddate timestamp with time zone default now() not null,
  updatedpersonid bigint,
  version integer default 1 not null,
  constraint follow_pkey primary key (followid),
  constraint follow_personid_fkey foreign key (personid) references person(personid)
);
create unique index follow_key on follow (personid, object, objectid);
create index follow_object_idx on follow (objectid, object);
alter table follow enable row level security;

-- Table foreclosure
create table foreclosure (
  foreclosureid bigint not null,
  saleamount numeric(19,4),
  soldtoname character varying(19) collate casewright_text,
  scheduledsaledate date,
  redemptiondate date,
  deficiencystatus character varying(9) collate casewright_text,
  redemptionamount numeric(19,4),
  openingbidamount numeric(19,4),
  reachorganizationid bigint,
  constraint foreclosure_pkey primary key (foreclosureid),
  constraint foreclosure_amounts_check check (coalesce(saleamount, 0::numeric) >= 0::numeric and
    coalesce(redemptionamount, 0::numeric) >= 0::numeric),
  constraint foreclosure_foreclosureid_fkey foreign key (foreclosureid) references process(processid) on delete cascade
);
create trigger foreclosure_case_changed after update on foreclosure for each row when (new.scheduledsaledate is distinct
  from old.scheduledsaledate) execute function casewright_case_change();
create trigger foreclosure_history after delete or update on foreclosure for each row execute function
  casewright_history_of_foreclosure();
create trigger foreclosure_reach_links after update on foreclosure for each row when (new.reachorganizationid is
  distinct from old.reachorganizationid) execute function casewright_reach_links();
create trigger foreclosure_reach_payments after update on foreclosure for each row when (new.reachorganizationid is
  distinct from old.reachorganizationid) execute function casewright_reach_payments('Foreclosure');
alter table foreclosure enable row level security;
create policy reach on foreclosure for all to casewright_reach using ((reachorganizationid =
  (current_setting('casewright.firm'::text))::bigint)) with check ((reachorganizationid =
  (current_setting('casewright.firm'::text))::bigint));
create policy report on foreclosure for select to casewright_report using ((reachorganizationid =
  (current_setting('casewright.firm'::text))::bigint));
create policy report_all on foreclosure for select to casewright_report_all using (true);
grant delete, insert, select, update on foreclosure to casewright_reach;
grant select (foreclosureid, saleamount, soldtoname, scheduledsaledate, redemptiondate, deficiencystatus,
  redemptionamount, openingbidamount) on foreclosure to casewright_report;
grant select (foreclosureid, saleamount, soldtoname, scheduledsaledate, redemptiondate, deficiencystatus,
  redemptionamount, openingbidamount) on foreclosure to casewright_report_all;

-- Table geography
create table geography (
  geographyid bigint generated always as identity not null,
  geography character varying(100) collate casewright_text,
  status character varying(100) collate casewright_text,
  geographytype character varying(100) collate casewright_text,
  code character varying(20) collate casewright_text,
  parentgeographyid bigint,
  createddate timestamp with time zone default now() not null,
  createdpersonid bigint,
  updateddate timestamp with time zone default now() not null,
  updatedpersonid bigint,
  version integer default 1 not null,
  constraint geography_pkey primary key (geographyid),
  constraint geography_parentgeographyid_fkey foreign key (parentgeographyid) references geography(geographyid)
);
create index geography_parentgeographyid_idx on geography (parentgeographyid);
create trigger geography_added after insert on geography referencing new table as added for each statement execute
  function casewright_history_of_geography_added();
create trigger geography_configuration after insert or delete or update on geography for each statement execute function
  casewright_configuration();
create trigger geography_history after delete or update on geography for each row execute function
  casewright_history_of_geography();
alter table geography enable row level security;
create policy reach on geography for select to casewright_reach, casewright_report, casewright_report_all using (true);
grant select on geography to casewright_reach;
grant select (geographyid, geography, status, geographytype, code, parentgeographyid, createddate, createdpersonid,
  updateddate, updatedpersonid, version) on geography to casewright_report;
grant select (geographyid, geography, status, geographytype, code, parentgeographyid, createddate, createdpersonid,
  updateddate, updatedpersonid, version) on geography to casewright_report_all;

-- Table handover
create table handover (
  handoverid bigint generated always as identity not null,
  handover character varying(255) collate casewright_text,
  status character varying(100) collate casewright_text,
  handovertype character varying(100) collate casewright_text,
  personid bigint,
  reason character varying(1000) collate casewright_text,
  priorstatus character varying(100) collate casewright_text,
  workpersonid bigint,
  casepersonid bigint,
  workitemrunid bigint,
  taskrunid bigint,
  caserunid bigint,
  keycount integer,
  sessioncount integer,
  undonedate timestamp with time zone,
  createddate timestamp with time zone default now() not null,
  createdpersonid bigint,
  updateddate timestamp with time zone default now() not null,
  updatedpersonid bigint,
  version integer default 1 not null,
  constraint handover_pkey primary key (handoverid)
);
create index handover_personid_idx on handover (personid);
create trigger handover_added after insert on handover referencing new table as added for each statement execute
  function casewright_history_of_handover_added();
create trigger handover_history after delete or update on handover for each row execute function
  casewright_history_of_handover();
alter table handover enable row level security;

-- Table healthmute
create table healthmute (
  health character varying(60) not null,
  state character varying(10) not null,
  until timestamp with time zone not null,
  reason character varying(300) not null,
  personid bigint,
  createddate timestamp with time zone default now() not null,
  constraint healthmute_pkey primary key (health),
  constraint healthmute_state_check check (state::text = any (array['warning'::character varying, 'failed'::character
    varying]::text[])),
  constraint healthmute_personid_fkey foreign key (personid) references person(personid) on delete set null
);
create index healthmute_personid_idx on healthmute (personid);

-- Table history
create table history (
  historyid bigint generated always as identity not null,
  at timestamp with time zone default clock_timestamp() not null,
  tablename text collate "C" not null,
  recordid bigint not null,
  change text collate "C" not null,
  personid bigint,
  callid text collate "C",
  version integer,
  old jsonb not null,
  updateddate timestamp with time zone,
  updatedpersonid bigint,
  links bigint[],
  xid xid8 default pg_current_xact_id(),
  constraint history_change_check check (change = any (array['update'::text, 'delete'::text, 'undelete'::text]))
) partition by RANGE (at);
create index history_call_idx on only history (callid) where (change = 'delete'::text);
create index history_filepath_idx on only history (((old ->> 'filepath'::text))) where ((tablename = 'attachment'::text)
  and (old ? 'filepath'::text));
create index history_links_idx on only history using gin (links) where (links is not null);
create index history_record_idx on only history (tablename, recordid, at);
create index history_xid_idx on only history (xid) where (xid is not null);

-- Table historyknown
create table historyknown (
  onlyrow boolean default true not null,
  since timestamp with time zone,
  constraint historyknown_pkey primary key (onlyrow),
  constraint historyknown_onlyrow_check check (onlyrow)
);

-- Table holiday
create table holiday (
  holidayid bigint generated always as identity not null,
  holiday character varying(100) collate casewright_text,
  status character varying(100) collate casewright_text,
  holidaytype character varying(100) collate casewright_text,
  date date not null,
  yearly boolean,
  createddate timestamp with time zone default now() not null,
  createdpersonid bigint,
  updateddate timestamp with time zone default now() not null,
  updatedpersonid bigint,
  version integer default 1 not null,
  constraint holiday_pkey primary key (holidayid)
);
create unique index holiday_date_key on holiday (date);
create trigger holiday_added after insert on holiday referencing new table as added for each statement execute function
  casewright_history_of_holiday_added();
create trigger holiday_configuration after insert or delete or update on holiday for each statement execute function
  casewright_configuration();
create trigger holiday_history after delete or update on holiday for each row execute function
  casewright_history_of_holiday();
alter table holiday enable row level security;
create policy reach on holiday for select to casewright_reach, casewright_report, casewright_report_all using (true);
grant select on holiday to casewright_reach;
grant select (holidayid, holiday, status, holidaytype, date, yearly, createddate, createdpersonid, updateddate,
  updatedpersonid, version) on holiday to casewright_report;
grant select (holidayid, holiday, status, holidaytype, date, yearly, createddate, createdpersonid, updateddate,
  updatedpersonid, version) on holiday to casewright_report_all;

-- Table idempotency
create table idempotency (
  personid bigint not null,
  key bytea not null,
  request bytea not null,
  answer bytea,
  createddate timestamp with time zone default now() not null,
  messageid uuid,
  bodyhash bytea,
  constraint idempotency_pkey primary key (personid, key)
);
create index idempotency_createddate_idx on idempotency (createddate);
create index idempotency_messageid_idx on idempotency (createddate) where (messageid is not null);

-- Table importcorrection
create table importcorrection (
  importcorrectionid bigint generated always as identity not null,
  importcorrection character varying(255) collate casewright_text,
  status character varying(100) collate casewright_text,
  importcorrectiontype character varying(100) collate casewright_text,
  importfileid bigint not null,
  organizationid bigint,
  sourceline integer not null,
  sourcecolumns character varying(1000) collate casewright_text,
  changes text collate "C",
  actorpersonid bigint,
  reason character varying(10000) collate casewright_text,
  message character varying(10000) collate casewright_text,
  importlogid bigint,
  createddate timestamp with time zone default now() not null,
  createdpersonid bigint,
  updateddate timestamp with time zone default now() not null,
  updatedpersonid bigint,
  version integer default 1 not null,
  reachorganizationid bigint generated always as (organizationid) stored,
  custom jsonb,
  sentimportfileid bigint,
  constraint importcorrection_pkey primary key (importcorrectionid),
  constraint importcorrection_custom_check check (jsonb_typeof(custom) = 'object'::text),
  constraint importcorrection_importfileid_fkey foreign key (importfileid) references importfile(importfileid)
);
create index importcorrection_importfileid_idx on importcorrection (importfileid);
create index importcorrection_reach_idx on importcorrection (reachorganizationid, createddate);
create unique index importcorrection_row_key on importcorrection (importfileid, sourceline) where ((status)::text = any
  ((array['Queued'::character varying, 'Complete'::character varying])::text[]));
create trigger importcorrection_added after insert on importcorrection referencing new table as added for each statement
  execute function casewright_history_of_importcorrection_added();
create trigger importcorrection_history after delete or update on importcorrection for each row execute function
  casewright_history_of_importcorrection('changes');
create trigger importcorrection_reach_links after update on importcorrection for each row when (new.reachorganizationid
  is distinct from old.reachorganizationid) execute function casewright_reach_links();
alter table importcorrection enable row level security;
create policy reach on importcorrection for all to casewright_reach using ((reachorganizationid =
  (current_setting('casewright.firm'::text))::bigint)) with check ((reachorganizationid =
  (current_setting('casewright.firm'::text))::bigint));
create policy report on importcorrection for select to casewright_report using ((reachorganizationid =
  (current_setting('casewright.firm'::text))::bigint));
create policy report_all on importcorrection for select to casewright_report_all using (true);
grant delete, insert, select, update on importcorrection to casewright_reach;
grant select (importcorrectionid, importcorrection, status, importcorrectiontype, importfileid, organizationid,
  sourceline, sourcecolumns, actorpersonid, reason, message, importlogid, createddate, createdpersonid, updateddate,
  updatedpersonid, version, custom, sentimportfileid) on importcorrection to casewright_report;
grant select (importcorrectionid, importcorrection, status, importcorrectiontype, importfileid, organizationid,
  sourceline, sourcecolumns, actorpersonid, reason, message, importlogid, createddate, createdpersonid, updateddate,
  updatedpersonid, version, custom, sentimportfileid) on importcorrection to casewright_report_all;

-- Table importfile
create table importfile (
  importfileid bigint generated always as identity not null,
  importfile character varying(255) collate casewright_text,
  status character varying(100) collate casewright_text,
  importfiletype character varying(100) collate casewright_text,
  object character varying(60) collate "C",
  objectid bigint,
  importfiletemplateid bigint,
  pretransformid bigint,
  organizationid bigint,
  reference character varying(50) collate casewright_text,
  externalreference character varying(255) collate casewright_text,
  successcount integer,
  errorcount integer,
  warnings integer,
  importstart timestamp with time zone,
  importcomplete timestamp with time zone,
  message character varying(10000) collate casewright_text,
  createddate timestamp with time zone default now() not null,
  createdpersonid bigint,
  updateddate timestamp with time zone default now() not null,
  updatedpersonid bigint,
  version integer default 1 not null,
  reachorganizationid bigint generated always as (organizationid) stored,
  custom jsonb,
  unlisted boolean,
  correctsid bigint,
  resentdate timestamp with time zone,
  sftpaccountid bigint,
  constraint importfile_pkey primary key (importfileid),
  constraint importfile_custom_check check (jsonb_typeof(custom) = 'object'::text),
  constraint importfile_importfiletemplateid_fkey foreign key (importfiletemplateid) references
    importfiletemplate(importfiletemplateid),
  constraint importfile_pretransformid_fkey foreign key (pretransformid) references attachment(attachmentid)
);
create index importfile_correctsid_idx on importfile (correctsid) where (correctsid is not null);
create index importfile_importfiletemplateid_idx on importfile (importfiletemplateid);
create index importfile_importing_idx on importfile (createddate) where ((status)::text = 'Importing'::text);
create index importfile_object_idx on importfile (objectid, object);
create index importfile_pretransformid_idx on importfile (pretransformid);
create index importfile_reach_idx on importfile (reachorganizationid, createddate);
create index importfile_reference_idx on importfile (reference);
create index importfile_sftp_idx on importfile (createddate) where (sftpaccountid is not null);
create trigger importfile_added after insert on importfile referencing new table as added for each statement execute
  function casewright_history_of_importfile_added();
create trigger importfile_history after delete or update on importfile for each row execute function
  casewright_history_of_importfile();
create trigger importfile_logged before delete on importfile for each row execute function
  casewright_importfile_logged();
create trigger importfile_reach_links after update on importfile for each row when (new.reachorganizationid is distinct
  from old.reachorganizationid) execute function casewright_reach_links();
alter table importfile enable row level security;
create policy reach on importfile for all to casewright_reach using ((reachorganizationid =
  (current_setting('casewright.firm'::text))::bigint)) with check ((reachorganizationid =
  (current_setting('casewright.firm'::text))::bigint));
create policy report on importfile for select to casewright_report using ((reachorganizationid =
  (current_setting('casewright.firm'::text))::bigint));
create policy report_all on importfile for select to casewright_report_all using (true);
grant delete, insert, select, update on importfile to casewright_reach;
grant select (importfileid, importfile, status, importfiletype, object, objectid, importfiletemplateid, pretransformid,
  organizationid, reference, externalreference, successcount, errorcount, warnings, importstart, importcomplete,
  message, createddate, createdpersonid, updateddate, updatedpersonid, version, custom, unlisted, correctsid,
  resentdate, sftpaccountid) on importfile to casewright_report;
grant select (importfileid, importfile, status, importfiletype, object, objectid, importfiletemplateid, pretransformid,
  organizationid, reference, externalreference, successcount, errorcount, warnings, importstart, importcomplete,
  message, createddate, createdpersonid, updateddate, updatedpersonid, version, custom, unlisted, correctsid,
  resentdate, sftpaccountid) on importfile to casewright_report_all;

-- Table importfilemap
create table importfilemap (
  importfilemapid bigint generated always as identity not null,
  importfilemap character varying(255) collate casewright_text,
  status character varying(100) collate casewright_text,
  importfilemaptype character varying(100) collate casewright_text,
  importfiletemplateid bigint not null,
  destination character varying(255) collate "C",
  translation character varying(50000) collate "C",
  istext boolean,
  required boolean,
  datatype character varying(9) collate casewright_text,
  sequence integer,
  createddate timestamp with time zone default now() not null,
  createdpersonid bigint,
  updateddate timestamp with time zone default now() not null,
  updatedpersonid bigint,
  version integer default 1 not null,
  constraint importfilemap_pkey primary key (importfilemapid),
  constraint importfilemap_importfiletemplateid_fkey foreign key (importfiletemplateid) references
    importfiletemplate(importfiletemplateid) on delete cascade
);
create index importfilemap_importfiletemplateid_idx on importfilemap (importfiletemplateid);
create trigger importfilemap_added after insert on importfilemap referencing new table as added for each statement
  execute function casewright_history_of_importfilemap_added();
create trigger importfilemap_configuration after insert or delete or update on importfilemap for each statement execute
  function casewright_configuration();
create trigger importfilemap_history after delete or update on importfilemap for each row execute function
  casewright_history_of_importfilemap();
alter table importfilemap enable row level security;
create policy reach on importfilemap for select to casewright_reach, casewright_report using ((EXISTS ( SELECT
   FROM
  importfiletemplate t
  WHERE (t.importfiletemplateid = importfilemap.importfiletemplateid))));
create policy report_all on importfilemap for select to casewright_report_all using (true);
grant select on importfilemap to casewright_reach;
grant select (importfilemapid, importfilemap, status, importfilemaptype, importfiletemplateid, destination, translation,
  istext, required, datatype, sequence, createddate, createdpersonid, updateddate, updatedpersonid, version) on
  importfilemap to casewright_report;
grant select (importfilemapid, importfilemap, status, importfilemaptype, importfiletemplateid, destination, translation,
  istext, required, datatype, sequence, createddate, createdpersonid, updateddate, updatedpersonid, version) on
  importfilemap to casewright_report_all;

-- Table importfilequeue
create table importfilequeue (
  importfilequeueid bigint generated always as identity not null,
  importfilequeue character varying(255) collate casewright_text,
  status character varying(100) collate casewright_text,
  importfilequeuetype character varying(100) collate casewright_text,
  importfileid bigint,
  organizationid bigint,
  classname character varying(60) collate casewright_text,
  operation character varying(200) collate casewright_text,
  parameterxml text collate "C",
  queue character varying(100) collate casewright_text,
  queueddate timestamp with time zone,
  successdate timestamp with time zone,
  failuredate timestamp with time zone,
  executecount integer,
  message character varying(10000) collate casewright_text,
  result bigint,
  sourceline integer,
  leaseduntil timestamp with time zone,
  importlogid bigint,
  createddate timestamp with time zone default now() not null,
  createdpersonid bigint,
  updateddate timestamp with time zone default now() not null,
  updatedpersonid bigint,
  version integer default 1 not null,
  reachorganizationid bigint generated always as (organizationid) stored,
  callid character varying(64) collate "C",
  constraint importfilequeue_pkey primary key (importfilequeueid),
  constraint importfilequeue_outcome_check check (successdate is null or failuredate is null),
  constraint importfilequeue_importfileid_fkey foreign key (importfileid) references importfile(importfileid),
  constraint importfilequeue_organizationid_fkey foreign key (organizationid) references organization(organizationid)
);
create index importfilequeue_createddate_idx on importfilequeue using brin (createddate);
create index importfilequeue_failed_idx on importfilequeue (importfileid) where (failuredate is not null);
create index importfilequeue_importfileid_idx on importfilequeue (importfileid);
create index importfilequeue_organizationid_idx on importfilequeue (organizationid);
create index importfilequeue_reach_idx on importfilequeue (reachorganizationid, createddate);
create index importfilequeue_unfinished_idx on importfilequeue (importfileid, queue, importfilequeueid) where
  ((successdate is null) and (failuredate is null));
create trigger importfilequeue_reach_links after update on importfilequeue for each row when (new.reachorganizationid is
  distinct from old.reachorganizationid) execute function casewright_reach_links();
alter table importfilequeue enable row level security;
create policy reach on importfilequeue for all to casewright_reach using ((reachorganizationid =
  (current_setting('casewright.firm'::text))::bigint)) with check ((reachorganizationid =
  (current_setting('casewright.firm'::text))::bigint));
create policy report on importfilequeue for select to casewright_report using ((reachorganizationid =
  (current_setting('casewright.firm'::text))::bigint));
create policy report_all on importfilequeue for select to casewright_report_all using (true);
grant delete, insert, select, update on importfilequeue to casewright_reach;
grant select (importfilequeueid, importfilequeue, status, importfilequeuetype, importfileid, organizationid, classname,
  operation, queue, queueddate, successdate, failuredate, executecount, message, result, sourceline, leaseduntil,
  importlogid, createddate, createdpersonid, updateddate, updatedpersonid, version, callid) on importfilequeue to
  casewright_report;
grant select (importfilequeueid, importfilequeue, status, importfilequeuetype, importfileid, organizationid, classname,
  operation, queue, queueddate, successdate, failuredate, executecount, message, result, sourceline, leaseduntil,
  importlogid, createddate, createdpersonid, updateddate, updatedpersonid, version, callid) on importfilequeue to
  casewright_report_all;

-- Table importfiletemplate
create table importfiletemplate (
  importfiletemplateid bigint generated always as identity not null,
  importfiletemplate character varying(100) collate casewright_text,
  status character varying(100) collate casewright_text,
  importfiletemplatetype character varying(100) collate casewright_text,
  appliesto character varying(60) collate casewright_text,
  repeatable character varying(9) collate casewright_text,
  extranetenabled character varying(6) collate casewright_text,
  description character varying(10000) collate casewright_text,
  importengine character varying(100) collate casewright_text,
  async boolean,
  queue character varying(100) collate casewright_text,
  failurethreshold character varying(20) collate casewright_text,
  successthreshold character varying(20) collate casewright_text,
  validatestatement character varying(1000) collate "C",
  importstatement character varying(50000) collate "C",
  resultmethod character varying(2000) collate "C",
  oncompletestatus character varying(100) collate casewright_text,
  parameterstring character varying(10000) collate "C",
  createddate timestamp with time zone default now() not null,
  createdpersonid bigint,
  updateddate timestamp with time zone default now() not null,
  updatedpersonid bigint,
  version integer default 1 not null,
  importoperationsallowed integer default 3,
  validateschema boolean default true,
  schema character varying(500000) collate "C",
  endimportmethod character varying(2000) collate "C",
  decisiontemplateid bigint,
  constraint importfiletemplate_pkey primary key (importfiletemplateid),
  constraint importfiletemplate_operations_check check (importoperationsallowed >= 0 and importoperationsallowed <= 7),
  constraint importfiletemplate_decisiontemplateid_fkey foreign key (decisiontemplateid) references
    decisiontemplate(decisiontemplateid)
);
create index importfiletemplate_decisiontemplateid_idx on importfiletemplate (decisiontemplateid) where
  (decisiontemplateid is not null);
create unique index importfiletemplate_importfiletemplate_key on importfiletemplate (importfiletemplate,
  coalesce(appliesto, ''::character varying));
create trigger importfiletemplate_added after insert on importfiletemplate referencing new table as added for each
  statement execute function casewright_history_of_importfiletemplate_added();
create trigger importfiletemplate_configuration after insert or delete or update on importfiletemplate for each
  statement execute function casewright_configuration();
create trigger importfiletemplate_history after delete or update on importfiletemplate for each row execute function
  casewright_history_of_importfiletemplate();
alter table importfiletemplate enable row level security;
create policy reach on importfiletemplate for select to casewright_reach, casewright_report using
  (((COALESCE(extranetenabled, 'No'::character varying))::text <> 'No'::text));
create policy report_all on importfiletemplate for select to casewright_report_all using (true);
grant select on importfiletemplate to casewright_reach;
grant select (importfiletemplateid, importfiletemplate, status, importfiletemplatetype, appliesto, repeatable,
  extranetenabled, description, importengine, async, queue, failurethreshold, successthreshold, validatestatement,
  importstatement, resultmethod, oncompletestatus, parameterstring, createddate, createdpersonid, updateddate,
  updatedpersonid, version, importoperationsallowed, validateschema, schema, endimportmethod, decisiontemplateid) on
  importfiletemplate to casewright_report;
grant select (importfiletemplateid, importfiletemplate, status, importfiletemplatetype, appliesto, repeatable,
  extranetenabled, description, importengine, async, queue, failurethreshold, successthreshold, validatestatement,
  importstatement, resultmethod, oncompletestatus, parameterstring, createddate, createdpersonid, updateddate,
  updatedpersonid, version, importoperationsallowed, validateschema, schema, endimportmethod, decisiontemplateid) on
  importfiletemplate to casewright_report_all;

-- Table importform
create table importform (
  importformid bigint generated always as identity not null,
  importform character varying(255) collate casewright_text,
  status character varying(100) collate casewright_text,
  importformtype character varying(100) collate casewright_text,
  object character varying(60) collate "C",
  objectid bigint,
  importformtemplateid bigint,
  estimatedstart timestamp with time zone,
  estimatedcompletion timestamp with time zone,
  projectedstart timestamp with time zone,
  projectedcompletion timestamp with time zone,
  actualstart timestamp with time zone,
  actualcompletion timestamp with time zone,
  canceleddate timestamp with time zone,
  xmldata text,
  assignedcollectionid bigint,
  assignedpersonid bigint,
  decisionstepid bigint,
  createddate timestamp with time zone default now() not null,
  createdpersonid bigint,
  updateddate timestamp with time zone default now() not null,
  updatedpersonid bigint,
  version integer default 1 not null,
  reachorganizationid bigint,
  custom jsonb,
  isfollowup boolean,
  constraint importform_pkey primary key (importformid),
  constraint importform_custom_check check (jsonb_typeof(custom) = 'object'::text),
  constraint importform_assignedcollectionid_fkey foreign key (assignedcollectionid) references collection(collectionid),
  constraint importform_assignedpersonid_fkey foreign key (assignedpersonid) references person(personid),
  constraint importform_decisionstepid_fkey foreign key (decisionstepid) references decisionstep(decisionstepid) on
    delete set null,
  constraint importform_importformtemplateid_fkey foreign key (importformtemplateid) references
    importformtemplate(importformtemplateid)
);
create index importform_assignedcollectionid_idx on importform (assignedcollectionid) where (assignedcollectionid is not
  null);
create index importform_assignedpersonid_idx on importform (assignedpersonid) where (assignedpersonid is not null);
create index importform_decisionstepid_idx on importform (decisionstepid) where (decisionstepid is not null);
create index importform_importformtemplateid_idx on importform (importformtemplateid);
create index importform_object_idx on importform (objectid, object, importformtemplateid);
create index importform_reach_idx on importform (reachorganizationid, createddate);
create trigger importform_added after insert on importform referencing new table as added for each statement execute
  function casewright_history_of_importform_added();
create trigger importform_case_changed after update on importform for each row when (((new.object::text = any
  (array['Foreclosure'::character varying, 'Bankruptcy'::character varying]::text[])) or (old.object::text = any
  (array['Foreclosure'::character varying, 'Bankruptcy'::character varying]::text[]))) and (new.object::text is distinct
  from old.object::text or new.objectid is distinct from old.objectid or new.importform::text is distinct from
  old.importform::text or new.status::text is distinct from old.status::text or new.projectedcompletion is distinct from
  old.projectedcompletion or new.estimatedcompletion is distinct from old.estimatedcompletion or new.actualcompletion is
  distinct from old.actualcompletion or new.canceleddate is distinct from old.canceleddate)) execute function
  casewright_case_change_below();
create trigger importform_case_created after insert on importform referencing new table as added for each statement
  execute function casewright_cases_added_to();
create trigger importform_case_deleted after delete on importform for each row when (old.object::text = any
  (array['Foreclosure'::character varying, 'Bankruptcy'::character varying]::text[])) execute function
  casewright_case_change_below();
create trigger importform_draft after update of actualcompletion, canceleddate on importform for each row when
  ((new.actualcompletion is not null or new.canceleddate is not null) and (old.actualcompletion is distinct from
  new.actualcompletion or old.canceleddate is distinct from new.canceleddate)) execute function
  casewright_importform_draft();
create trigger importform_history after delete or update on importform for each row execute function
  casewright_history_of_importform();
create trigger importform_items after update of decisionstepid on importform for each row when (old.decisionstepid is
  distinct from new.decisionstepid) execute function casewright_importform_items();
create trigger importform_reach before insert or update of object, objectid, importformtemplateid, reachorganizationid
  on importform for each row when (current_setting('casewright.reachknown'::text, true) is distinct from
  'importform'::text) execute function casewright_reach_importform();
create trigger importform_reach_links after update on importform for each row when (new.reachorganizationid is distinct
  from old.reachorganizationid) execute function casewright_reach_links();
create trigger importform_reach_spread after update on importform for each row when (new.reachorganizationid is distinct
  from old.reachorganizationid) execute function casewright_reach_spread('ImportForm');
create trigger importform_reach_spread_licenses after update on importform for each row when (new.reachorganizationid is
  distinct from old.reachorganizationid) execute function casewright_reach_licenses('ImportForm');
alter table importform enable row level security;
create policy reach on importform for all to casewright_reach using ((reachorganizationid =
  (current_setting('casewright.firm'::text))::bigint)) with check ((reachorganizationid =
  (current_setting('casewright.firm'::text))::bigint));
create policy report on importform for select to casewright_report using ((reachorganizationid =
  (current_setting('casewright.firm'::text))::bigint));
create policy report_all on importform for select to casewright_report_all using (true);
grant delete, insert, select, update on importform to casewright_reach;
grant select (importformid, importform, status, importformtype, object, objectid, importformtemplateid, estimatedstart,
  estimatedcompletion, projectedstart, projectedcompletion, actualstart, actualcompletion, canceleddate, xmldata,
  assignedcollectionid, assignedpersonid, decisionstepid, createddate, createdpersonid, updateddate, updatedpersonid,
  version, custom, isfollowup) on importform to casewright_report;
grant select (importformid, importform, status, importformtype, object, objectid, importformtemplateid, estimatedstart,
  estimatedcompletion, projectedstart, projectedcompletion, actualstart, actualcompletion, canceleddate, xmldata,
  assignedcollectionid, assignedpersonid, decisionstepid, createddate, createdpersonid, updateddate, updatedpersonid,
  version, custom, isfollowup) on importform to casewright_report_all;

-- Table importformdraft
create table importformdraft (
  importformid bigint not null,
  personid bigint not null,
  answers jsonb not null,
  updateddate timestamp with time zone not null,
  constraint importformdraft_pkey primary key (importformid),
  constraint importformdraft_answers_check check (jsonb_typeof(answers) = 'object'::text),
  constraint importformdraft_importformid_fkey foreign key (importformid) references importform(importformid) on delete
    cascade,
  constraint importformdraft_personid_fkey foreign key (personid) references person(personid)
);
create index importformdraft_updateddate_idx on importformdraft (updateddate);

-- Table importformquestion
create table importformquestion (
  importformquestionid bigint generated always as identity not null,
  importformquestion character varying(100) collate casewright_text,
  status character varying(100) collate casewright_text,
  importformquestiontype character varying(100) collate casewright_text,
  importformtemplateid bigint not null,
  questiontype character varying(14) collate casewright_text,
  prompt character varying(1000) collate casewright_text,
  help character varying(4000) collate casewright_text,
  section character varying(100) collate casewright_text,
  sequence integer,
  isrequired boolean,
  choices character varying(50000) collate casewright_text,
  minimum character varying(40) collate "C",
  maximum character varying(40) collate "C",
  pattern character varying(500) collate "C",
  defaultanswer character varying(1000) collate "C",
  calculation character varying(4000) collate "C",
  shownwhen character varying(4000) collate "C",
  requiredwhen character varying(4000) collate "C",
  createddate timestamp with time zone default now() not null,
  createdpersonid bigint,
  updateddate timestamp with time zone default now() not null,
  updatedpersonid bigint,
  version integer default 1 not null,
  rowsof character varying(100) collate casewright_text,
  constraint importformquestion_pkey primary key (importformquestionid),
  constraint importformquestion_importformtemplateid_fkey foreign key (importformtemplateid) references
    importformtemplate(importformtemplateid)
);
create unique index importformquestion_name_key on importformquestion (importformtemplateid, importformquestion);
create trigger importformquestion_added after insert on importformquestion referencing new table as added for each
  statement execute function casewright_history_of_importformquestion_added();
create trigger importformquestion_configuration after insert or delete or update on importformquestion for each
  statement execute function casewright_configuration();
create trigger importformquestion_history after delete or update on importformquestion for each row execute function
  casewright_history_of_importformquestion();
alter table importformquestion enable row level security;
create policy reach on importformquestion for select to casewright_reach, casewright_report, casewright_report_all using
  (true);
grant select on importformquestion to casewright_reach;
grant select (importformquestionid, importformquestion, status, importformquestiontype, importformtemplateid,
  questiontype, prompt, help, section, sequence, isrequired, choices, minimum, maximum, pattern, defaultanswer,
  calculation, shownwhen, requiredwhen, createddate, createdpersonid, updateddate, updatedpersonid, version, rowsof) on
  importformquestion to casewright_report;
grant select (importformquestionid, importformquestion, status, importformquestiontype, importformtemplateid,
  questiontype, prompt, help, section, sequence, isrequired, choices, minimum, maximum, pattern, defaultanswer,
  calculation, shownwhen, requiredwhen, createddate, createdpersonid, updateddate, updatedpersonid, version, rowsof) on
  importformquestion to casewright_report_all;

-- Table importformstatus
create table importformstatus (
  importformstatusid bigint generated always as identity not null,
  importformstatus character varying(100) collate casewright_text,
  status character varying(100) collate casewright_text,
  importformstatustype character varying(100) collate casewright_text,
  importformtemplateid bigint not null,
  isfinal boolean,
  sequence integer,
  createddate timestamp with time zone default now() not null,
  createdpersonid bigint,
  updateddate timestamp with time zone default now() not null,
  updatedpersonid bigint,
  version integer default 1 not null,
  constraint importformstatus_pkey primary key (importformstatusid),
  constraint importformstatus_importformtemplateid_fkey foreign key (importformtemplateid) references
    importformtemplate(importformtemplateid)
);
create unique index importformstatus_name_key on importformstatus (importformtemplateid, importformstatus);
create trigger importformstatus_added after insert on importformstatus referencing new table as added for each statement
  execute function casewright_history_of_importformstatus_added();
create trigger importformstatus_configuration after insert or delete or update on importformstatus for each statement
  execute function casewright_configuration();
create trigger importformstatus_history after delete or update on importformstatus for each row execute function
  casewright_history_of_importformstatus();
alter table importformstatus enable row level security;
create policy reach on importformstatus for select to casewright_reach, casewright_report, casewright_report_all using
  (true);
grant select on importformstatus to casewright_reach;
grant select (importformstatusid, importformstatus, status, importformstatustype, importformtemplateid, isfinal,
  sequence, createddate, createdpersonid, updateddate, updatedpersonid, version) on importformstatus to
  casewright_report;
grant select (importformstatusid, importformstatus, status, importformstatustype, importformtemplateid, isfinal,
  sequence, createddate, createdpersonid, updateddate, updatedpersonid, version) on importformstatus to
  casewright_report_all;

-- Table importformtemplate
create table importformtemplate (
  importformtemplateid bigint generated always as identity not null,
  importformtemplate character varying(100) collate casewright_text,
  status character varying(100) collate casewright_text,
  importformtemplatetype character varying(100) collate casewright_text,
  appliesto character varying(60) collate casewright_text,
  repeatable character varying(9) collate casewright_text,
  extranetenabled character varying(6) collate casewright_text,
  description character varying(10000) collate casewright_text,
  createddate timestamp with time zone default now() not null,
  createdpersonid bigint,
  updateddate timestamp with time zone default now() not null,
  updatedpersonid bigint,
  version integer default 1 not null,
  instructions character varying(10000) collate casewright_text,
  assignedcollectionid bigint,
  smartworklisttemplateid bigint,
  constraint importformtemplate_pkey primary key (importformtemplateid),
  constraint importformtemplate_assignedcollectionid_fkey foreign key (assignedcollectionid) references
    collection(collectionid),
  constraint importformtemplate_smartworklisttemplateid_fkey foreign key (smartworklisttemplateid) references
    smartworklisttemplate(smartworklisttemplateid)
);
create index importformtemplate_assignedcollectionid_idx on importformtemplate (assignedcollectionid) where
  (assignedcollectionid is not null);
create unique index importformtemplate_importformtemplate_key on importformtemplate (importformtemplate,
  coalesce(appliesto, ''::character varying));
create index importformtemplate_smartworklisttemplateid_idx on importformtemplate (smartworklisttemplateid) where
  (smartworklisttemplateid is not null);
create trigger importformtemplate_added after insert on importformtemplate referencing new table as added for each
  statement execute function casewright_history_of_importformtemplate_added();
create trigger importformtemplate_configuration after insert or delete or update on importformtemplate for each
  statement execute function casewright_configuration();
create trigger importformtemplate_history after delete or update on importformtemplate for each row execute function
  casewright_history_of_importformtemplate();
create trigger importformtemplate_reach after update on importformtemplate for each row when (new.extranetenabled::text
  is distinct from old.extranetenabled::text) execute function casewright_reach_template('importform');
alter table importformtemplate enable row level security;
create policy reach on importformtemplate for select to casewright_reach, casewright_report, casewright_report_all using
  (true);
grant select on importformtemplate to casewright_reach;
grant select (importformtemplateid, importformtemplate, status, importformtemplatetype, appliesto, repeatable,
  extranetenabled, description, createddate, createdpersonid, updateddate, updatedpersonid, version, instructions,
  assignedcollectionid, smartworklisttemplateid) on importformtemplate to casewright_report;
grant select (importformtemplateid, importformtemplate, status, importformtemplatetype, appliesto, repeatable,
  extranetenabled, description, createddate, createdpersonid, updateddate, updatedpersonid, version, instructions,
  assignedcollectionid, smartworklisttemplateid) on importformtemplate to casewright_report_all;

-- Table importformtransition
create table importformtransition (
  importformtransitionid bigint generated always as identity not null,
  importformtransition character varying(255) collate casewright_text,
  status character varying(100) collate casewright_text,
  importformtransitiontype character varying(100) collate casewright_text,
  importformtemplateid bigint not null,
  fromstatus character varying(100) collate casewright_text,
  tostatus character varying(100) collate casewright_text not null,
  roles character varying(1000) collate casewright_text,
  smartworklisttemplateid bigint,
  createddate timestamp with time zone default now() not null,
  createdpersonid bigint,
  updateddate timestamp with time zone default now() not null,
  updatedpersonid bigint,
  version integer default 1 not null,
  constraint importformtransition_pkey primary key (importformtransitionid),
  constraint importformtransition_importformtemplateid_fkey foreign key (importformtemplateid) references
    importformtemplate(importformtemplateid),
  constraint importformtransition_smartworklisttemplateid_fkey foreign key (smartworklisttemplateid) references
    smartworklisttemplate(smartworklisttemplateid)
);
create unique index importformtransition_move_key on importformtransition (importformtemplateid, coalesce(fromstatus,
  ''::character varying), tostatus);
create index importformtransition_smartworklisttemplateid_idx on importformtransition (smartworklisttemplateid) where
  (smartworklisttemplateid is not null);
create trigger importformtransition_added after insert on importformtransition referencing new table as added for each
  statement execute function casewright_history_of_importformtransition_added();
create trigger importformtransition_configuration after insert or delete or update on importformtransition for each
  statement execute function casewright_configuration();
create trigger importformtransition_history after delete or update on importformtransition for each row execute function
  casewright_history_of_importformtransition();
alter table importformtransition enable row level security;
create policy reach on importformtransition for select to casewright_reach, casewright_report, casewright_report_all
  using (true);
grant select on importformtransition to casewright_reach;
grant select (importformtransitionid, importformtransition, status, importformtransitiontype, importformtemplateid,
  fromstatus, tostatus, roles, smartworklisttemplateid, createddate, createdpersonid, updateddate, updatedpersonid,
  version) on importformtransition to casewright_report;
grant select (importformtransitionid, importformtransition, status, importformtransitiontype, importformtemplateid,
  fromstatus, tostatus, roles, smartworklisttemplateid, createddate, createdpersonid, updateddate, updatedpersonid,
  version) on importformtransition to casewright_report_all;

-- Table importlog
create table importlog (
  importlogid bigint generated always as identity not null,
  importlog character varying(255) collate casewright_text,
  status character varying(100) collate casewright_text,
  importlogtype character varying(100) collate casewright_text,
  importfileid bigint,
  organizationid bigint,
  reference character varying(50) collate casewright_text,
  object character varying(60) collate "C",
  objectid bigint,
  operation character varying(60) collate casewright_text,
  message character varying(10000) collate casewright_text,
  properties text,
  sequence integer,
  createddate timestamp with time zone default now() not null,
  createdpersonid bigint,
  updateddate timestamp with time zone default now() not null,
  updatedpersonid bigint,
  version integer default 1 not null,
  reachorganizationid bigint generated always as (organizationid) stored,
  sourceline integer,
  logcategory character varying(100) collate casewright_text,
  sourcecolumn character varying(255) collate casewright_text,
  constraint importlog_pkey primary key (importlogid)
);
create index importlog_case_idx on importlog (objectid, object) where ((object)::text = any
  ((array['Foreclosure'::character varying, 'Bankruptcy'::character varying])::text[]));
create index importlog_createddate_idx on importlog using brin (createddate);
create index importlog_failed_idx on importlog (importfileid, sourceline) where ((status)::text = 'Error'::text);
create index importlog_importfileid_idx on importlog (importfileid);
create index importlog_reach_idx on importlog (reachorganizationid, createddate);
create index importlog_reference_idx on importlog (reference) where (reference is not null);
create trigger importlog_reach_links after update on importlog for each row when (new.reachorganizationid is distinct
  from old.reachorganizationid) execute function casewright_reach_links();
alter table importlog enable row level security;
create policy reach on importlog for all to casewright_reach using ((reachorganizationid =
  (current_setting('casewright.firm'::text))::bigint)) with check ((reachorganizationid =
  (current_setting('casewright.firm'::text))::bigint));
create policy report on importlog for select to casewright_report using ((reachorganizationid =
  (current_setting('casewright.firm'::text))::bigint));
create policy report_all on importlog for select to casewright_report_all using (true);
grant delete, insert, select, update on importlog to casewright_reach;
grant select (importlogid, importlog, status, importlogtype, importfileid, organizationid, reference, object, objectid,
  operation, message, properties, sequence, createddate, createdpersonid, updateddate, updatedpersonid, version,
  sourceline, logcategory, sourcecolumn) on importlog to casewright_report;
grant select (importlogid, importlog, status, importlogtype, importfileid, organizationid, reference, object, objectid,
  operation, message, properties, sequence, createddate, createdpersonid, updateddate, updatedpersonid, version,
  sourceline, logcategory, sourcecolumn) on importlog to casewright_report_all;

-- Table importrun
create table importrun (
  importfileid bigint not null,
  deliveryid uuid not null,
  done bigint default 0 not null,
  total bigint,
  bytesread bigint default 0 not null,
  success bigint default 0 not null,
  warnings bigint default 0 not null,
  errors bigint default 0 not null,
  state text collate "C",
  stopped boolean default false not null,
  starteddate timestamp with time zone default now() not null,
  startdone bigint default 0 not null,
  attempts integer default 0 not null,
  activedate timestamp with time zone default now() not null,
  constraint importrun_pkey primary key (importfileid),
  constraint importrun_importfileid_fkey foreign key (importfileid) references importfile(importfileid) on delete
    cascade
);
create index importrun_activedate_idx on importrun (activedate);
create trigger importrun_added after insert on importrun referencing new table as changed for each statement execute
  function casewright_importrun_changed();
create trigger importrun_changed after update on importrun referencing new table as changed for each statement execute
  function casewright_importrun_changed();

-- Table installation
create table installation (
  singleton boolean default true not null,
  place text not null,
  environment character varying(60),
  state text default 'Original'::text not null,
  changed timestamp with time zone default now() not null,
  constraint installation_pkey primary key (singleton),
  constraint installation_singleton_check check (singleton),
  constraint installation_state_check check (state = any (array['Original'::text, 'Paused'::text, 'Copy'::text]))
);

-- Table ledger
create table ledger (
  ledgerid bigint generated always as identity not null,
  ledger character varying(255) collate casewright_text,
  status character varying(100) collate casewright_text,
  ledgertype character varying(100) collate casewright_text,
  object character varying(60) collate "C",
  objectid bigint,
  ledgertemplateid bigint,
  balance numeric(19,4),
  balanceadjusted numeric(19,4),
  islocked boolean,
  isexpandable boolean,
  completed timestamp with time zone,
  posteddate timestamp with time zone,
  createddate timestamp with time zone default now() not null,
  createdpersonid bigint,
  updateddate timestamp with time zone default now() not null,
  updatedpersonid bigint,
  version integer default 1 not null,
  reachorganizationid bigint,
  custom jsonb,
  currency character varying(3) collate "C" default 'USD'::character varying,
  constraint ledger_pkey primary key (ledgerid),
  constraint ledger_custom_check check (jsonb_typeof(custom) = 'object'::text),
  constraint ledger_ledgertemplateid_fkey foreign key (ledgertemplateid) references ledgertemplate(ledgertemplateid)
);
create index ledger_ledgertemplateid_idx on ledger (ledgertemplateid);
create index ledger_object_idx on ledger (objectid, object);
create index ledger_reach_idx on ledger (reachorganizationid, createddate);
create trigger ledger_added after insert on ledger referencing new table as added for each statement execute function
  casewright_history_of_ledger_added();
create trigger ledger_history after delete or update on ledger for each row execute function
  casewright_history_of_ledger();
create trigger ledger_reach before insert or update of object, objectid, ledgertemplateid, reachorganizationid on ledger
  for each row execute function casewright_reach_ledger();
create trigger ledger_reach_links after update on ledger for each row when (new.reachorganizationid is distinct from
  old.reachorganizationid) execute function casewright_reach_links();
create trigger ledger_reach_payments after update on ledger for each row when (new.reachorganizationid is distinct from
  old.reachorganizationid) execute function casewright_reach_payments('Ledger');
create trigger ledger_reach_spread after update on ledger for each row when (new.reachorganizationid is distinct from
  old.reachorganizationid) execute function casewright_reach_spread('Ledger');
create trigger ledger_reach_spread_licenses after update on ledger for each row when (new.reachorganizationid is
  distinct from old.reachorganizationid) execute function casewright_reach_licenses('Ledger');
create trigger ledger_total after update on ledger for each row when (new.ledgertemplateid is distinct from
  old.ledgertemplateid) execute function casewright_ledger_retotal();
alter table ledger enable row level security;
create policy reach on ledger for all to casewright_reach using ((reachorganizationid =
  (current_setting('casewright.firm'::text))::bigint)) with check ((reachorganizationid =
  (current_setting('casewright.firm'::text))::bigint));
create policy report on ledger for select to casewright_report using ((reachorganizationid =
  (current_setting('casewright.firm'::text))::bigint));
create policy report_all on ledger for select to casewright_report_all using (true);
grant delete, insert, select, update on ledger to casewright_reach;
grant select (ledgerid, ledger, status, ledgertype, object, objectid, ledgertemplateid, balance, balanceadjusted,
  islocked, isexpandable, completed, posteddate, createddate, createdpersonid, updateddate, updatedpersonid, version,
  custom, currency) on ledger to casewright_report;
grant select (ledgerid, ledger, status, ledgertype, object, objectid, ledgertemplateid, balance, balanceadjusted,
  islocked, isexpandable, completed, posteddate, createddate, createdpersonid, updateddate, updatedpersonid, version,
  custom, currency) on ledger to casewright_report_all;

-- Table ledgeritem
create table ledgeritem (
  ledgeritemid bigint generated always as identity not null,
  ledgeritem character varying(255) collate casewright_text,
  status character varying(100) collate casewright_text,
  ledgeritemtype character varying(100) collate casewright_text,
  ledgerid bigint not null,
  ledgertemplateitemid bigint,
  sequence integer,
  amountmoney numeric(19,4),
  amountmoneycountered numeric(19,4),
  amountdecimal numeric,
  units character varying(100) collate casewright_text,
  unitcount numeric,
  rate numeric,
  isdebit boolean,
  istotaled boolean,
  islocked boolean,
  posteddate timestamp with time zone,
  paiddate timestamp with time zone,
  transactionnumber character varying(255) collate "C",
  childledgerid bigint,
  description character varying(4000) collate casewright_text,
  createddate timestamp with time zone default now() not null,
  createdpersonid bigint,
  updateddate timestamp with time zone default now() not null,
  updatedpersonid bigint,
  version integer default 1 not null,
  reachorganizationid bigint,
  custom jsonb,
  effectivedate date,
  referenceledgeritemid bigint,
  paymentrole character varying(9) collate casewright_text,
  personid bigint,
  reviewpersonid bigint,
  reviewdate timestamp with time zone,
  reviewreason character varying(1000) collate casewright_text,
  importfileid bigint,
  constraint ledgeritem_pkey primary key (ledgeritemid),
  constraint ledgeritem_custom_check check (jsonb_typeof(custom) = 'object'::text),
  constraint ledgeritem_childledgerid_fkey foreign key (childledgerid) references ledger(ledgerid),
  constraint ledgeritem_importfileid_fkey foreign key (importfileid) references importfile(importfileid),
  constraint ledgeritem_ledgerid_fkey foreign key (ledgerid) references ledger(ledgerid),
  constraint ledgeritem_ledgertemplateitemid_fkey foreign key (ledgertemplateitemid) references
    ledgertemplateitem(ledgertemplateitemid),
  constraint ledgeritem_personid_fkey foreign key (personid) references person(personid),
  constraint ledgeritem_referenceledgeritemid_fkey foreign key (referenceledgeritemid) references
    ledgeritem(ledgeritemid),
  constraint ledgeritem_reviewpersonid_fkey foreign key (reviewpersonid) references person(personid)
);
create index ledgeritem_childledgerid_present_idx on ledgeritem (childledgerid) where (childledgerid is not null);
create index ledgeritem_importfileid_idx on ledgeritem (importfileid) where (importfileid is not null);
create index ledgeritem_ledgerid_idx on ledgeritem (ledgerid);
create index ledgeritem_ledgertemplateitemid_present_idx on ledgeritem (ledgertemplateitemid) where
  (ledgertemplateitemid is not null);
create index ledgeritem_personid_idx on ledgeritem (personid) where (personid is not null);
create index ledgeritem_reach_idx on ledgeritem (reachorganizationid, createddate);
create index ledgeritem_referenceledgeritemid_present_idx on ledgeritem (referenceledgeritemid) where
  (referenceledgeritemid is not null);
create index ledgeritem_reviewpersonid_idx on ledgeritem (reviewpersonid) where (reviewpersonid is not null);
create trigger ledgeritem_added after insert on ledgeritem referencing new table as added for each statement execute
  function casewright_history_of_ledgeritem_added();
create trigger ledgeritem_history after delete or update on ledgeritem for each row execute function
  casewright_history_of_ledgeritem();
create trigger ledgeritem_reach before insert on ledgeritem for each row when (new.reachorganizationid is not null or
  current_setting('casewright.reach_firm'::text, true) is distinct from ''::text or
  current_setting('casewright.reach_ledger'::text, true) is distinct from new.ledgerid::text) execute function
  casewright_reach_ledgeritem();
create trigger ledgeritem_reach_links after update on ledgeritem for each row when (new.reachorganizationid is distinct
  from old.reachorganizationid) execute function casewright_reach_links();
create trigger ledgeritem_reach_update before update of ledgerid, reachorganizationid on ledgeritem for each row execute
  function casewright_reach_ledgeritem();
create trigger ledgeritem_rollup before insert or update of ledgerid, childledgerid, amountmoney on ledgeritem for each
  row when (new.childledgerid is not null) execute function casewright_ledgeritem_rollup();
create trigger ledgeritem_rollup_paid before update on ledgeritem for each row when (new.paymentrole is null and
  new.amountmoney is distinct from old.amountmoney and (old.paiddate is not null or new.childledgerid is not null))
  execute function casewright_ledgeritem_paid();
create trigger ledgeritem_total after insert on ledgeritem referencing new table as made for each statement execute
  function casewright_ledgeritem_total();
create trigger ledgeritem_total_delete after delete on ledgeritem referencing old table as gone for each statement
  execute function casewright_ledgeritem_total();
create trigger ledgeritem_total_update after update on ledgeritem referencing old table as gone new table as made for
  each statement execute function casewright_ledgeritem_total();
alter table ledgeritem enable row level security;
create policy reach on ledgeritem for all to casewright_reach using ((reachorganizationid =
  (current_setting('casewright.firm'::text))::bigint)) with check ((reachorganizationid =
  (current_setting('casewright.firm'::text))::bigint));
create policy report on ledgeritem for select to casewright_report using ((reachorganizationid =
  (current_setting('casewright.firm'::text))::bigint));
create policy report_all on ledgeritem for select to casewright_report_all using (true);
grant delete, insert, select, update on ledgeritem to casewright_reach;
grant select (ledgeritemid, ledgeritem, status, ledgeritemtype, ledgerid, ledgertemplateitemid, sequence, amountmoney,
  amountmoneycountered, amountdecimal, units, unitcount, rate, isdebit, istotaled, islocked, posteddate, paiddate,
  transactionnumber, childledgerid, description, createddate, createdpersonid, updateddate, updatedpersonid, version,
  custom, effectivedate, referenceledgeritemid, paymentrole, personid, reviewpersonid, reviewdate, reviewreason,
  importfileid) on ledgeritem to casewright_report;
grant select (ledgeritemid, ledgeritem, status, ledgeritemtype, ledgerid, ledgertemplateitemid, sequence, amountmoney,
  amountmoneycountered, amountdecimal, units, unitcount, rate, isdebit, istotaled, islocked, posteddate, paiddate,
  transactionnumber, childledgerid, description, createddate, createdpersonid, updateddate, updatedpersonid, version,
  custom, effectivedate, referenceledgeritemid, paymentrole, personid, reviewpersonid, reviewdate, reviewreason,
  importfileid) on ledgeritem to casewright_report_all;

-- Table ledgertemplate
create table ledgertemplate (
  ledgertemplateid bigint generated always as identity not null,
  ledgertemplate character varying(100) collate casewright_text,
  status character varying(100) collate casewright_text,
  ledgertemplatetype character varying(100) collate casewright_text,
  appliesto character varying(60) collate casewright_text,
  repeatable character varying(9) collate casewright_text,
  extranetenabled character varying(6) collate casewright_text,
  description character varying(10000) collate casewright_text,
  refreshoninsert boolean,
  calculatemethod character varying(2000) collate "C",
  projectmethod character varying(2000) collate "C",
  invoicetemplateid bigint,
  invoicematrixid bigint,
  createddate timestamp with time zone default now() not null,
  createdpersonid bigint,
  updateddate timestamp with time zone default now() not null,
  updatedpersonid bigint,
  version integer default 1 not null,
  currency character varying(3) collate "C",
  constraint ledgertemplate_pkey primary key (ledgertemplateid),
  constraint ledgertemplate_invoicematrixid_fkey foreign key (invoicematrixid) references matrix(matrixid),
  constraint ledgertemplate_invoicetemplateid_fkey foreign key (invoicetemplateid) references
    attachmenttemplate(attachmenttemplateid)
);
create index ledgertemplate_invoicematrixid_idx on ledgertemplate (invoicematrixid);
create index ledgertemplate_invoicetemplateid_idx on ledgertemplate (invoicetemplateid);
create unique index ledgertemplate_ledgertemplate_key on ledgertemplate (ledgertemplate, coalesce(appliesto,
  ''::character varying));
create trigger ledgertemplate_added after insert on ledgertemplate referencing new table as added for each statement
  execute function casewright_history_of_ledgertemplate_added();
create trigger ledgertemplate_configuration after insert or delete or update on ledgertemplate for each statement
  execute function casewright_configuration();
create trigger ledgertemplate_history after delete or update on ledgertemplate for each row execute function
  casewright_history_of_ledgertemplate();
create trigger ledgertemplate_reach after update on ledgertemplate for each row when (new.extranetenabled::text is
  distinct from old.extranetenabled::text) execute function casewright_reach_template('ledger');
create trigger ledgertemplate_total after update on ledgertemplate for each row when (new.calculatemethod::text is
  distinct from old.calculatemethod::text) execute function casewright_ledgertemplate_total();
alter table ledgertemplate enable row level security;
create policy reach on ledgertemplate for select to casewright_reach, casewright_report, casewright_report_all using
  (true);
grant select on ledgertemplate to casewright_reach;
grant select (ledgertemplateid, ledgertemplate, status, ledgertemplatetype, appliesto, repeatable, extranetenabled,
  description, refreshoninsert, calculatemethod, projectmethod, invoicetemplateid, invoicematrixid, createddate,
  createdpersonid, updateddate, updatedpersonid, version, currency) on ledgertemplate to casewright_report;
grant select (ledgertemplateid, ledgertemplate, status, ledgertemplatetype, appliesto, repeatable, extranetenabled,
  description, refreshoninsert, calculatemethod, projectmethod, invoicetemplateid, invoicematrixid, createddate,
  createdpersonid, updateddate, updatedpersonid, version, currency) on ledgertemplate to casewright_report_all;

-- Table ledgertemplateitem
create table ledgertemplateitem (
  ledgertemplateitemid bigint generated always as identity not null,
  ledgertemplateitem character varying(100) collate casewright_text,
  status character varying(100) collate casewright_text,
  ledgertemplateitemtype character varying(100) collate casewright_text,
  ledgertemplateid bigint not null,
  childledgertemplateid bigint,
  sequence integer,
  amountmoney numeric(19,4),
  units character varying(100) collate casewright_text,
  unitcount numeric,
  rate numeric,
  isdebit boolean,
  istotaled boolean,
  canexclude boolean,
  canrefresh boolean,
  manualinsert integer,
  matrixid bigint,
  createddate timestamp with time zone default now() not null,
  createdpersonid bigint,
  updateddate timestamp with time zone default now() not null,
  updatedpersonid bigint,
  version integer default 1 not null,
  account character varying(255) collate "C",
  constraint ledgertemplateitem_pkey primary key (ledgertemplateitemid),
  constraint ledgertemplateitem_childledgertemplateid_fkey foreign key (childledgertemplateid) references
    ledgertemplate(ledgertemplateid),
  constraint ledgertemplateitem_ledgertemplateid_fkey foreign key (ledgertemplateid) references
    ledgertemplate(ledgertemplateid),
  constraint ledgertemplateitem_matrixid_fkey foreign key (matrixid) references matrix(matrixid)
);
create index ledgertemplateitem_childledgertemplateid_idx on ledgertemplateitem (childledgertemplateid);
create index ledgertemplateitem_ledgertemplateid_idx on ledgertemplateitem (ledgertemplateid);
create unique index ledgertemplateitem_ledgertemplateitem_key on ledgertemplateitem (ledgertemplateid,
  ledgertemplateitem);
create index ledgertemplateitem_matrixid_idx on ledgertemplateitem (matrixid);
create trigger ledgertemplateitem_added after insert on ledgertemplateitem referencing new table as added for each
  statement execute function casewright_history_of_ledgertemplateitem_added();
create trigger ledgertemplateitem_configuration after insert or delete or update on ledgertemplateitem for each
  statement execute function casewright_configuration();
create trigger ledgertemplateitem_history after delete or update on ledgertemplateitem for each row execute function
  casewright_history_of_ledgertemplateitem();
create trigger ledgertemplateitem_total after update on ledgertemplateitem for each row when (new.isdebit is distinct
  from old.isdebit or new.istotaled is distinct from old.istotaled) execute function
  casewright_ledgertemplateitem_total();
alter table ledgertemplateitem enable row level security;
create policy reach on ledgertemplateitem for select to casewright_reach, casewright_report, casewright_report_all using
  (true);
grant select on ledgertemplateitem to casewright_reach;
grant select (ledgertemplateitemid, ledgertemplateitem, status, ledgertemplateitemtype, ledgertemplateid,
  childledgertemplateid, sequence, amountmoney, units, unitcount, rate, isdebit, istotaled, canexclude, canrefresh,
  manualinsert, matrixid, createddate, createdpersonid, updateddate, updatedpersonid, version, account) on
  ledgertemplateitem to casewright_report;
grant select (ledgertemplateitemid, ledgertemplateitem, status, ledgertemplateitemtype, ledgertemplateid,
  childledgertemplateid, sequence, amountmoney, units, unitcount, rate, isdebit, istotaled, canexclude, canrefresh,
  manualinsert, matrixid, createddate, createdpersonid, updateddate, updatedpersonid, version, account) on
  ledgertemplateitem to casewright_report_all;

-- Table legalhold
create table legalhold (
  legalholdid bigint generated always as identity not null,
  legalhold character varying(255) collate casewright_text,
  status character varying(100) collate casewright_text,
  legalholdtype character varying(100) collate casewright_text,
  object character varying(60) collate "C" not null,
  objectid bigint not null,
  reason text collate casewright_text not null,
  releaseddate timestamp with time zone,
  releasedpersonid bigint,
  releasereason text collate casewright_text,
  createddate timestamp with time zone default now() not null,
  createdpersonid bigint,
  updateddate timestamp with time zone default now() not null,
  updatedpersonid bigint,
  version integer default 1 not null,
  constraint legalhold_pkey primary key (legalholdid),
  constraint legalhold_release_check check ((releaseddate is null) = (releasereason is null)),
  constraint legalhold_releasedpersonid_fkey foreign key (releasedpersonid) references person(personid)
);
create index legalhold_object_idx on legalhold (objectid, object) where (releaseddate is null);
create index legalhold_releasedpersonid_idx on legalhold (releasedpersonid);
create trigger legalhold_kept before delete or update on legalhold for each row execute function
  casewright_legalhold_kept();
alter table legalhold enable row level security;

-- Table limitedevent
create table limitedevent (
  personid bigint not null,
  event character varying(60) collate "C" not null,
  instants timestamp with time zone[] not null,
  outcome character varying(20) collate "C" not null,
  refused timestamp with time zone,
  constraint limitedevent_pkey primary key (personid, event),
  constraint limitedevent_outcome_check check (outcome::text = any (array['Admitted'::character varying,
    'First refused'::character varying, 'Refused'::character varying]::text[]))
);

-- Table loan
create table loan (
  loanid bigint generated always as identity not null,
  loan character varying(50) collate casewright_text,
  status character varying(100) collate casewright_text,
  loantype character varying(100) collate casewright_text,
  agency character varying(60) collate casewright_text,
  propertyid bigint,
  servicerloanid character varying(100) collate casewright_text,
  originalbalance numeric(19,4),
  upbamount numeric(19,4),
  lienprioritytype integer,
  sourceorganizationid bigint,
  createddate timestamp with time zone default now() not null,
  createdpersonid bigint,
  updateddate timestamp with time zone default now() not null,
  updatedpersonid bigint,
  version integer default 1 not null,
  reachorganizationid bigint[] default '{}'::bigint[] not null,
  custom jsonb,
  assignmentstatus character varying(9) collate casewright_text,
  constraint loan_pkey primary key (loanid),
  constraint loan_custom_check check (jsonb_typeof(custom) = 'object'::text),
  constraint loan_propertyid_fkey foreign key (propertyid) references property(propertyid),
  constraint loan_sourceorganizationid_fkey foreign key (sourceorganizationid) references organization(organizationid)
);
create index loan_assignmentstatus_idx on loan (loanid) where (assignmentstatus is not null);
create index loan_label_idx on loan (casewright_fold((loan)::text) collate "C");
create index loan_loan_idx on loan (loan);
create unique index loan_loan_key on loan (agency, loan) nulls not distinct where ((assignmentstatus is null) and (loan
  is not null));
create index loan_propertyid_idx on loan (propertyid);
create index loan_reach_idx on loan using gin (reachorganizationid);
create index loan_servicerloanid_idx on loan (servicerloanid);
create index loan_sourceorganizationid_idx on loan (sourceorganizationid);
create unique index loan_waiting_loan_key on loan (agency, loan, sourceorganizationid) nulls not distinct where
  ((assignmentstatus)::text = 'Waiting'::text);
create index loan_words_idx on loan using gin (casewright_words(((coalesce((loan)::text, ''::text) || ' '::text) ||
  coalesce((servicerloanid)::text, ''::text))));
create trigger loan_added after insert on loan referencing new table as added for each statement execute function
  casewright_history_of_loan_added();
create trigger loan_case_changed after update on loan for each row when (new.loan::text is distinct from old.loan::text
  or new.propertyid is distinct from old.propertyid or new.agency::text is distinct from old.agency::text or
  new.upbamount is distinct from old.upbamount) execute function casewright_case_change_of_loan();
create trigger loan_history after delete or update on loan for each row execute function casewright_history_of_loan();
create trigger loan_reach before insert on loan for each row execute function casewright_reach_new();
create trigger loan_reach_changed after insert or update of propertyid, reachorganizationid on loan for each row execute
  function casewright_reach_loan_changed();
create trigger loan_reach_changed_licenses after update on loan for each row when (new.reachorganizationid is distinct
  from old.reachorganizationid) execute function casewright_reach_licenses('Loan');
create trigger loan_reach_links after update on loan for each row when (new.reachorganizationid is distinct from
  old.reachorganizationid) execute function casewright_reach_links();
create trigger loan_reach_payments after update on loan for each row when (new.reachorganizationid is distinct from
  old.reachorganizationid) execute function casewright_reach_payments('Loan');
alter table loan enable row level security;
create policy reach on loan for all to casewright_reach using ((reachorganizationid @>
  ARRAY[(current_setting('casewright.firm'::text))::bigint])) with check ((reachorganizationid @>
  ARRAY[(current_setting('casewright.firm'::text))::bigint]));
create policy report on loan for select to casewright_report using ((reachorganizationid @>
  ARRAY[(current_setting('casewright.firm'::text))::bigint]));
create policy report_all on loan for select to casewright_report_all using (true);
grant delete, insert, select, update on loan to casewright_reach;
grant select (loanid, loan, status, loantype, agency, propertyid, servicerloanid, originalbalance, upbamount,
  lienprioritytype, sourceorganizationid, createddate, createdpersonid, updateddate, updatedpersonid, version, custom,
  assignmentstatus) on loan to casewright_report;
grant select (loanid, loan, status, loantype, agency, propertyid, servicerloanid, originalbalance, upbamount,
  lienprioritytype, sourceorganizationid, createddate, createdpersonid, updateddate, updatedpersonid, version, custom,
  assignmentstatus) on loan to casewright_report_all;

-- Table loanassignment
create table loanassignment (
  loanassignmentid bigint generated always as identity not null,
  loanid bigint not null,
  waitingloanid bigint not null,
  processids bigint[] not null,
  method character varying(9) collate "C" not null,
  callid text collate "C" not null,
  changes jsonb not null,
  createddate timestamp with time zone not null,
  createdpersonid bigint,
  undonedate timestamp with time zone,
  undonepersonid bigint,
  constraint loanassignment_pkey primary key (loanassignmentid),
  constraint loanassignment_method_check check (method::text = any (array['Staff'::character varying,
    'Automatic'::character varying, 'Matrix'::character varying]::text[]))
);
create index loanassignment_loanid_idx on loanassignment (loanid);

-- Table loanassignmentattempt
create table loanassignmentattempt (
  organizationid bigint not null,
  agency text collate casewright_text,
  loan text collate casewright_text not null,
  createddate timestamp with time zone not null,
  constraint loanassignmentattempt_organizationid_loan_agency_key unique nulls not distinct (organizationid, loan,
    agency)
);

-- Table mailanswer
create table mailanswer (
  threadid bigint not null,
  address character varying(320) collate casewright_text not null,
  answereddate timestamp with time zone not null,
  constraint mailanswer_pkey primary key (threadid, address),
  constraint mailanswer_threadid_fkey foreign key (threadid) references message(messageid) on delete cascade
);
alter table mailanswer enable row level security;

-- Table mailboxlease
create table mailboxlease (
  mailinboundid bigint not null,
  leaseid uuid,
  leaseduntil timestamp with time zone,
  constraint mailboxlease_pkey primary key (mailinboundid),
  constraint mailboxlease_mailinboundid_fkey foreign key (mailinboundid) references mailinbound(mailinboundid) on delete
    cascade
);
alter table mailboxlease enable row level security;

-- Table mailcontent
create table mailcontent (
  mailcontentid bigint generated always as identity not null,
  content text collate "C" not null,
  createddate timestamp with time zone default now() not null,
  constraint mailcontent_pkey primary key (mailcontentid)
);
alter table mailcontent enable row level security;

-- Table maildelivery
create table maildelivery (
  maildeliveryid bigint generated always as identity not null,
  maildelivery character varying(255) collate casewright_text,
  status character varying(100) collate casewright_text,
  maildeliverytype character varying(100) collate casewright_text,
  provider character varying(100) collate casewright_text,
  object character varying(60) collate "C",
  objectid bigint,
  internetmessageid character varying(255) collate "C",
  mailkey character varying(64) collate "C",
  recipients jsonb,
  attempts integer,
  nextattempt timestamp with time zone,
  retryuntil timestamp with time zone,
  leaseduntil timestamp with time zone,
  databegun timestamp with time zone,
  lastattempt timestamp with time zone,
  sentdate timestamp with time zone,
  lasterror character varying(300) collate "C",
  attemptlog jsonb,
  correlationid character varying(64) collate "C",
  createddate timestamp with time zone default now() not null,
  createdpersonid bigint,
  updateddate timestamp with time zone default now() not null,
  updatedpersonid bigint,
  version integer default 1 not null,
  messageid bigint,
  messagerecipientid bigint,
  mailcontentid bigint,
  slotdate timestamp with time zone,
  constraint maildelivery_pkey primary key (maildeliveryid),
  constraint maildelivery_status_check check (status::text = any (array['Waiting'::character varying,
    'Sending'::character varying, 'Sent'::character varying, 'Partly'::character varying, 'Failed'::character varying,
    'Unknown'::character varying, 'Canceled'::character varying]::text[])),
  constraint maildelivery_mailcontentid_fkey foreign key (mailcontentid) references mailcontent(mailcontentid),
  constraint maildelivery_messageid_fkey foreign key (messageid) references message(messageid) on delete set null,
  constraint maildelivery_messagerecipientid_fkey foreign key (messagerecipientid) references
    messagerecipient(messagerecipientid) on delete set null
);
create index maildelivery_createddate_idx on maildelivery (createddate);
create index maildelivery_internetmessageid_idx on maildelivery (internetmessageid);
create index maildelivery_mailcontentid_idx on maildelivery (mailcontentid) where (mailcontentid is not null);
create unique index maildelivery_mailkey_idx on maildelivery (mailkey);
create index maildelivery_messageid_idx on maildelivery (messageid);
create index maildelivery_messagerecipientid_idx on maildelivery (messagerecipientid);
create index maildelivery_object_idx on maildelivery (objectid, object);
create index maildelivery_open_idx on maildelivery (nextattempt, leaseduntil) where ((status)::text = any
  ((array['Waiting'::character varying, 'Sending'::character varying])::text[]));
create index maildelivery_reference_idx on maildelivery ((((recipients -> 0) ->> 'Reference'::text))) where
  (((recipients -> 0) ->> 'Reference'::text) is not null);
alter table maildelivery enable row level security;
create policy report_all on maildelivery for select to casewright_report_all using (true);
grant select (maildeliveryid, maildelivery, status, maildeliverytype, provider, object, objectid, internetmessageid,
  recipients, attempts, nextattempt, retryuntil, leaseduntil, databegun, lastattempt, sentdate, lasterror, attemptlog,
  correlationid, createddate, createdpersonid, updateddate, updatedpersonid, version, messageid, messagerecipientid,
  mailcontentid, slotdate) on maildelivery to casewright_report;
grant select (maildeliveryid, maildelivery, status, maildeliverytype, provider, object, objectid, internetmessageid,
  recipients, attempts, nextattempt, retryuntil, leaseduntil, databegun, lastattempt, sentdate, lasterror, attemptlog,
  correlationid, createddate, createdpersonid, updateddate, updatedpersonid, version, messageid, messagerecipientid,
  mailcontentid, slotdate) on maildelivery to casewright_report_all;

-- Table mailhouse
create table mailhouse (
  mailhouseid bigint generated always as identity not null,
  mailhouse character varying(100) collate casewright_text not null,
  status character varying(100) collate casewright_text,
  mailhousetype character varying(100) collate casewright_text not null,
  description character varying(2000) collate casewright_text,
  sequence integer,
  options character varying(10000) collate "C",
  secrets character varying(30000) collate "C",
  createddate timestamp with time zone default now() not null,
  createdpersonid bigint,
  updateddate timestamp with time zone default now() not null,
  updatedpersonid bigint,
  version integer default 1 not null,
  constraint mailhouse_pkey primary key (mailhouseid)
);
create unique index mailhouse_mailhouse_key on mailhouse (mailhouse);
create trigger mailhouse_added after insert on mailhouse referencing new table as added for each statement execute
  function casewright_history_of_mailhouse_added();
create trigger mailhouse_configuration after insert or delete or update on mailhouse for each statement execute function
  casewright_configuration();
create trigger mailhouse_history after delete or update on mailhouse for each row execute function
  casewright_history_of_mailhouse('secrets');
alter table mailhouse enable row level security;

-- Table mailinbound
create table mailinbound (
  mailinboundid bigint generated always as identity not null,
  mailinbound character varying(100) collate casewright_text,
  status character varying(100) collate casewright_text,
  mailinboundtype character varying(100) collate casewright_text,
  description character varying(2000) collate casewright_text,
  sequence integer,
  active boolean,
  organizationid bigint,
  address character varying(254) collate "C",
  host character varying(255) collate "C",
  port integer,
  security character varying(8) collate casewright_text,
  authorities character varying(30000) collate "C",
  username character varying(255) collate "C",
  password character varying(2000) collate "C",
  tokenurl character varying(2000) collate "C",
  folder character varying(500) collate "C",
  receivedfolder character varying(500) collate "C",
  since timestamp with time zone,
  timeoutseconds integer,
  options character varying(10000) collate "C",
  secrets character varying(30000) collate "C",
  state character varying(12) collate casewright_text,
  lastlook timestamp with time zone,
  lastsuccess timestamp with time zone,
  lasterror character varying(500) collate "C",
  behind integer,
  uidvalidity character varying(100) collate "C",
  lastuid character varying(100) collate "C",
  createddate timestamp with time zone default now() not null,
  createdpersonid bigint,
  updateddate timestamp with time zone default now() not null,
  updatedpersonid bigint,
  version integer default 1 not null,
  authenticationserver character varying(500) collate "C",
  senderproof character varying(9) collate casewright_text,
  checkingservers character varying(6000) collate "C",
  sendercheckssince timestamp with time zone,
  constraint mailinbound_pkey primary key (mailinboundid),
  constraint mailinbound_senderproof_check check (senderproof::text = any (array['Required'::character varying,
    'NotFailed'::character varying]::text[])),
  constraint mailinbound_organizationid_fkey foreign key (organizationid) references organization(organizationid)
);
create unique index mailinbound_mailinbound_idx on mailinbound (mailinbound);
create index mailinbound_organizationid_idx on mailinbound (organizationid);
create trigger mailinbound_added after insert on mailinbound referencing new table as added for each statement execute
  function casewright_history_of_mailinbound_added();
create trigger mailinbound_configuration after insert or delete or update of mailinbound, mailinboundtype, status,
  sequence, active, organizationid, address, host, port, security, authorities, username, password, tokenurl, folder,
  receivedfolder, since, timeoutseconds, options, secrets on mailinbound for each statement execute function
  casewright_configuration();
create trigger mailinbound_history after delete or update on mailinbound for each row execute function
  casewright_history_of_mailinbound('password', 'secrets', 'state', 'lastlook', 'lastsuccess', 'lasterror', 'behind',
  'uidvalidity', 'lastuid', 'checkingservers', 'sendercheckssince');
alter table mailinbound enable row level security;

-- Table mailoutbound
create table mailoutbound (
  mailoutboundid bigint generated always as identity not null,
  mailoutbound character varying(100) collate casewright_text,
  status character varying(100) collate casewright_text,
  mailoutboundtype character varying(100) collate casewright_text,
  description character varying(2000) collate casewright_text,
  sequence integer,
  fromaddress character varying(254) collate "C",
  fromname character varying(255) collate casewright_text,
  host character varying(255) collate "C",
  port integer,
  security character varying(8) collate casewright_text,
  authorities character varying(30000) collate "C",
  username character varying(255) collate "C",
  password character varying(2000) collate "C",
  tokenurl character varying(2000) collate "C",
  clientid character varying(500) collate "C",
  clientsecret character varying(4000) collate "C",
  refreshtoken character varying(8000) collate "C",
  signaturedomain character varying(253) collate "C",
  signatureselector character varying(63) collate "C",
  signaturekey character varying(30000) collate "C",
  connectionsmax integer,
  timeoutseconds integer,
  createddate timestamp with time zone default now() not null,
  createdpersonid bigint,
  updateddate timestamp with time zone default now() not null,
  updatedpersonid bigint,
  version integer default 1 not null,
  options character varying(10000) collate "C",
  secrets character varying(30000) collate "C",
  messagesperminute integer,
  constraint mailoutbound_pkey primary key (mailoutboundid)
);
create unique index mailoutbound_mailoutbound_idx on mailoutbound (mailoutbound);
create trigger mailoutbound_added after insert on mailoutbound referencing new table as added for each statement execute
  function casewright_history_of_mailoutbound_added();
create trigger mailoutbound_configuration after insert or delete or update on mailoutbound for each statement execute
  function casewright_configuration();
create trigger mailoutbound_history after delete or update on mailoutbound for each row execute function
  casewright_history_of_mailoutbound('password', 'clientsecret', 'refreshtoken', 'signaturekey', 'secrets');
alter table mailoutbound enable row level security;

-- Table mailpace
create table mailpace (
  server text collate "C" not null,
  nextslot timestamp with time zone not null,
  constraint mailpace_pkey primary key (server)
);
alter table mailpace enable row level security;

-- Table mailprocessor
create table mailprocessor (
  mailprocessorid bigint generated always as identity not null,
  mailprocessor character varying(255) collate casewright_text,
  status character varying(100) collate casewright_text,
  mailprocessortype character varying(100) collate casewright_text,
  mailinboundid bigint not null,
  sequence integer,
  active boolean,
  processor character varying(9) collate casewright_text,
  messagestatement character varying(2000) collate "C",
  createddate timestamp with time zone default now() not null,
  createdpersonid bigint,
  updateddate timestamp with time zone default now() not null,
  updatedpersonid bigint,
  version integer default 1 not null,
  constraint mailprocessor_pkey primary key (mailprocessorid),
  constraint mailprocessor_mailinboundid_fkey foreign key (mailinboundid) references mailinbound(mailinboundid)
);
create index mailprocessor_mailinboundid_idx on mailprocessor (mailinboundid);
create trigger mailprocessor_added after insert on mailprocessor referencing new table as added for each statement
  execute function casewright_history_of_mailprocessor_added();
create trigger mailprocessor_history after delete or update on mailprocessor for each row execute function
  casewright_history_of_mailprocessor();
alter table mailprocessor enable row level security;

-- Table mailreceipt
create table mailreceipt (
  mailreceiptid bigint generated always as identity not null,
  mailreceipt character varying(1000) collate casewright_text,
  status character varying(100) collate casewright_text,
  mailreceipttype character varying(100) collate casewright_text,
  mailinboundid bigint not null,
  folder character varying(500) collate "C",
  uidvalidity character varying(100) collate "C",
  uid character varying(100) collate "C",
  headerhash character varying(64) collate "C",
  contenthash character varying(64) collate "C",
  internetmessageid character varying(500) collate "C",
  inreplyto character varying(500) collate "C",
  earlierids jsonb,
  messageid bigint,
  fromaddress character varying(320) collate casewright_text,
  receiveddate timestamp with time zone,
  size integer,
  attachmentid bigint,
  reason character varying(1000) collate "C",
  attempts integer,
  createddate timestamp with time zone default now() not null,
  createdpersonid bigint,
  updateddate timestamp with time zone default now() not null,
  updatedpersonid bigint,
  version integer default 1 not null,
  constraint mailreceipt_pkey primary key (mailreceiptid),
  constraint mailreceipt_attachmentid_fkey foreign key (attachmentid) references attachment(attachmentid),
  constraint mailreceipt_mailinboundid_fkey foreign key (mailinboundid) references mailinbound(mailinboundid),
  constraint mailreceipt_messageid_fkey foreign key (messageid) references message(messageid) on delete set null
);
create index mailreceipt_attachmentid_idx on mailreceipt (attachmentid);
create index mailreceipt_earlierids_idx on mailreceipt using gin (earlierids);
create index mailreceipt_headerhash_idx on mailreceipt (mailinboundid, headerhash);
create index mailreceipt_internetmessageid_idx on mailreceipt (internetmessageid);
create unique index mailreceipt_mail_key on mailreceipt (mailinboundid, folder, uidvalidity, uid);
create index mailreceipt_messageid_idx on mailreceipt (messageid);
create index mailreceipt_status_idx on mailreceipt (mailinboundid, status, createddate);
alter table mailreceipt enable row level security;
grant select (mailreceiptid, mailreceipt, status, mailreceipttype, mailinboundid, folder, uidvalidity, uid, headerhash,
  contenthash, internetmessageid, inreplyto, earlierids, messageid, fromaddress, receiveddate, size, attachmentid,
  reason, attempts, createddate, createdpersonid, updateddate, updatedpersonid, version) on mailreceipt to
  casewright_report;
grant select (mailreceiptid, mailreceipt, status, mailreceipttype, mailinboundid, folder, uidvalidity, uid, headerhash,
  contenthash, internetmessageid, inreplyto, earlierids, messageid, fromaddress, receiveddate, size, attachmentid,
  reason, attempts, createddate, createdpersonid, updateddate, updatedpersonid, version) on mailreceipt to
  casewright_report_all;

-- Table mailsuppression
create table mailsuppression (
  mailsuppressionid bigint generated always as identity not null,
  mailsuppression character varying(320) collate casewright_text,
  status character varying(100) collate casewright_text,
  mailsuppressiontype character varying(100) collate casewright_text,
  reason character varying(12) collate casewright_text,
  scope character varying(4) collate casewright_text,
  messageid bigint,
  detail character varying(300) collate casewright_text,
  createddate timestamp with time zone default now() not null,
  createdpersonid bigint,
  updateddate timestamp with time zone default now() not null,
  updatedpersonid bigint,
  version integer default 1 not null,
  constraint mailsuppression_pkey primary key (mailsuppressionid),
  constraint mailsuppression_messageid_fkey foreign key (messageid) references message(messageid) on delete set null
);
create unique index mailsuppression_address_key on mailsuppression (mailsuppression, scope);
create index mailsuppression_messageid_idx on mailsuppression (messageid);
create trigger mailsuppression_added after insert on mailsuppression referencing new table as added for each statement
  execute function casewright_history_of_mailsuppression_added();
create trigger mailsuppression_history after delete or update on mailsuppression for each row execute function
  casewright_history_of_mailsuppression();
alter table mailsuppression enable row level security;

-- Table matrix
create table matrix (
  matrixid bigint generated always as identity not null,
  matrix character varying(100) collate casewright_text,
  status character varying(100) collate casewright_text,
  matrixtype character varying(100) collate casewright_text,
  description character varying(1000) collate casewright_text,
  createddate timestamp with time zone default now() not null,
  createdpersonid bigint,
  updateddate timestamp with time zone default now() not null,
  updatedpersonid bigint,
  version integer default 1 not null,
  appliesto character varying(60) collate "C",
  applyon character varying(6) collate casewright_text,
  applycriteria character varying(4000) collate "C",
  applysequence integer,
  applyusesummary boolean,
  applythrowiferror boolean,
  constraint matrix_pkey primary key (matrixid)
);
create unique index matrix_matrix_key on matrix (matrix);
create trigger matrix_added after insert on matrix referencing new table as added for each statement execute function
  casewright_history_of_matrix_added();
create trigger matrix_configuration after insert or delete or update on matrix for each statement execute function
  casewright_configuration();
create trigger matrix_history after delete or update on matrix for each row execute function
  casewright_history_of_matrix();
alter table matrix enable row level security;
create policy reach on matrix for select to casewright_reach, casewright_report, casewright_report_all using (true);
grant select on matrix to casewright_reach;
grant select (matrixid, matrix, status, matrixtype, description, createddate, createdpersonid, updateddate,
  updatedpersonid, version, appliesto, applyon, applycriteria, applysequence, applyusesummary, applythrowiferror) on
  matrix to casewright_report;
grant select (matrixid, matrix, status, matrixtype, description, createddate, createdpersonid, updateddate,
  updatedpersonid, version, appliesto, applyon, applycriteria, applysequence, applyusesummary, applythrowiferror) on
  matrix to casewright_report_all;

-- Table matrixacceptance
create table matrixacceptance (
  matrixacceptanceid bigint generated always as identity not null,
  matrixid bigint not null,
  findingkey character varying(32) collate "C" not null,
  finding character varying(1000) not null,
  reason character varying(1000) not null,
  createddate timestamp with time zone not null,
  createdpersonid bigint,
  withdrawndate timestamp with time zone,
  withdrawnpersonid bigint,
  constraint matrixacceptance_pkey primary key (matrixacceptanceid),
  constraint matrixacceptance_matrixid_fkey foreign key (matrixid) references matrix(matrixid) on delete cascade
);
create unique index matrixacceptance_key on matrixacceptance (matrixid, findingkey) where (withdrawndate is null);
alter table matrixacceptance enable row level security;

-- Table matrixcontent
create table matrixcontent (
  matrixversionid bigint not null,
  content bytea not null,
  constraint matrixcontent_pkey primary key (matrixversionid),
  constraint matrixcontent_matrixversionid_fkey foreign key (matrixversionid) references matrixversion(matrixversionid)
    on delete cascade
);

-- Table matrixdimension
create table matrixdimension (
  matrixdimensionid bigint generated always as identity not null,
  matrixdimension character varying(60) collate casewright_text,
  status character varying(100) collate casewright_text,
  matrixdimensiontype character varying(100) collate casewright_text,
  matrixid bigint not null,
  xpath character varying(2000) collate "C",
  weight numeric,
  sequence integer,
  valuetype character varying(6) collate casewright_text,
  createddate timestamp with time zone default now() not null,
  createdpersonid bigint,
  updateddate timestamp with time zone default now() not null,
  updatedpersonid bigint,
  version integer default 1 not null,
  constraint matrixdimension_pkey primary key (matrixdimensionid),
  constraint matrixdimension_matrixid_fkey foreign key (matrixid) references matrix(matrixid) on delete cascade
);
create unique index matrixdimension_name_key on matrixdimension (matrixid, matrixdimension);
create trigger matrixdimension_added after insert on matrixdimension referencing new table as added for each statement
  execute function casewright_history_of_matrixdimension_added();
create trigger matrixdimension_configuration after insert or delete or update on matrixdimension for each statement
  execute function casewright_configuration();
create trigger matrixdimension_history after delete or update on matrixdimension for each row execute function
  casewright_history_of_matrixdimension();
create trigger matrixdimension_unsubscribe after delete on matrixdimension referencing old table as gone for each
  statement execute function casewright_matrix_unsubscribe('MatrixDimension');
alter table matrixdimension enable row level security;
create policy reach on matrixdimension for select to casewright_reach, casewright_report, casewright_report_all using
  (true);
grant select on matrixdimension to casewright_reach;
grant select (matrixdimensionid, matrixdimension, status, matrixdimensiontype, matrixid, xpath, weight, sequence,
  valuetype, createddate, createdpersonid, updateddate, updatedpersonid, version) on matrixdimension to
  casewright_report;
grant select (matrixdimensionid, matrixdimension, status, matrixdimensiontype, matrixid, xpath, weight, sequence,
  valuetype, createddate, createdpersonid, updateddate, updatedpersonid, version) on matrixdimension to
  casewright_report_all;

-- Table matrixfact
create table matrixfact (
  matrixfactid bigint generated always as identity not null,
  matrixfact character varying(60) collate casewright_text,
  status character varying(100) collate casewright_text,
  matrixfacttype character varying(100) collate casewright_text,
  matrixid bigint not null,
  rownumber integer not null,
  matrixdimensionid bigint,
  matrixmeasureid bigint,
  cell character varying(4000) collate "C",
  object character varying(60) collate "C",
  objectid bigint,
  createddate timestamp with time zone default now() not null,
  createdpersonid bigint,
  updateddate timestamp with time zone default now() not null,
  updatedpersonid bigint,
  version integer default 1 not null,
  constraint matrixfact_pkey primary key (matrixfactid),
  constraint matrixfact_column_check check (num_nonnulls(matrixdimensionid, matrixmeasureid) = 1),
  constraint matrixfact_row_check check (rownumber >= 1),
  constraint matrixfact_matrixdimensionid_fkey foreign key (matrixdimensionid) references
    matrixdimension(matrixdimensionid) on delete cascade,
  constraint matrixfact_matrixid_fkey foreign key (matrixid) references matrix(matrixid) on delete cascade,
  constraint matrixfact_matrixmeasureid_fkey foreign key (matrixmeasureid) references matrixmeasure(matrixmeasureid) on
    delete cascade
);
create unique index matrixfact_dimension_key on matrixfact (matrixdimensionid, rownumber);
create index matrixfact_matrixid_idx on matrixfact (matrixid);
create unique index matrixfact_measure_key on matrixfact (matrixmeasureid, rownumber);
create trigger matrixfact_added after insert on matrixfact referencing new table as added for each statement execute
  function casewright_history_of_matrixfact_added();
create trigger matrixfact_configuration after insert or delete or update on matrixfact for each statement execute
  function casewright_configuration();
create trigger matrixfact_history after delete or update on matrixfact for each row execute function
  casewright_history_of_matrixfact();
create trigger matrixfact_unsubscribe after delete on matrixfact referencing old table as gone for each statement
  execute function casewright_matrix_unsubscribe('MatrixFact');
alter table matrixfact enable row level security;
create policy reach on matrixfact for select to casewright_reach, casewright_report, casewright_report_all using (true);
grant select on matrixfact to casewright_reach;
grant select (matrixfactid, matrixfact, status, matrixfacttype, matrixid, rownumber, matrixdimensionid, matrixmeasureid,
  cell, object, objectid, createddate, createdpersonid, updateddate, updatedpersonid, version) on matrixfact to
  casewright_report;
grant select (matrixfactid, matrixfact, status, matrixfacttype, matrixid, rownumber, matrixdimensionid, matrixmeasureid,
  cell, object, objectid, createddate, createdpersonid, updateddate, updatedpersonid, version) on matrixfact to
  casewright_report_all;

-- Table matrixmeasure
create table matrixmeasure (
  matrixmeasureid bigint generated always as identity not null,
  matrixmeasure character varying(60) collate casewright_text,
  status character varying(100) collate casewright_text,
  matrixmeasuretype character varying(100) collate casewright_text,
  matrixid bigint not null,
  valuetype character varying(7) collate casewright_text,
  objecttype character varying(60) collate "C",
  sequence integer,
  createddate timestamp with time zone default now() not null,
  createdpersonid bigint,
  updateddate timestamp with time zone default now() not null,
  updatedpersonid bigint,
  version integer default 1 not null,
  constraint matrixmeasure_pkey primary key (matrixmeasureid),
  constraint matrixmeasure_matrixid_fkey foreign key (matrixid) references matrix(matrixid) on delete cascade
);
create unique index matrixmeasure_name_key on matrixmeasure (matrixid, matrixmeasure);
create trigger matrixmeasure_added after insert on matrixmeasure referencing new table as added for each statement
  execute function casewright_history_of_matrixmeasure_added();
create trigger matrixmeasure_configuration after insert or delete or update on matrixmeasure for each statement execute
  function casewright_configuration();
create trigger matrixmeasure_history after delete or update on matrixmeasure for each row execute function
  casewright_history_of_matrixmeasure();
create trigger matrixmeasure_unsubscribe after delete on matrixmeasure referencing old table as gone for each statement
  execute function casewright_matrix_unsubscribe('MatrixMeasure');
alter table matrixmeasure enable row level security;
create policy reach on matrixmeasure for select to casewright_reach, casewright_report, casewright_report_all using
  (true);
grant select on matrixmeasure to casewright_reach;
grant select (matrixmeasureid, matrixmeasure, status, matrixmeasuretype, matrixid, valuetype, objecttype, sequence,
  createddate, createdpersonid, updateddate, updatedpersonid, version) on matrixmeasure to casewright_report;
grant select (matrixmeasureid, matrixmeasure, status, matrixmeasuretype, matrixid, valuetype, objecttype, sequence,
  createddate, createdpersonid, updateddate, updatedpersonid, version) on matrixmeasure to casewright_report_all;

-- Table matrixversion
create table matrixversion (
  matrixversionid bigint generated always as identity not null,
  matrixversion character varying(100) collate casewright_text,
  status character varying(100) collate casewright_text,
  matrixversiontype character varying(100) collate casewright_text,
  matrixid bigint not null,
  rowcount integer,
  factcount integer,
  callid character varying(36) collate "C",
  createddate timestamp with time zone default now() not null,
  createdpersonid bigint,
  updateddate timestamp with time zone default now() not null,
  updatedpersonid bigint,
  version integer default 1 not null,
  constraint matrixversion_pkey primary key (matrixversionid),
  constraint matrixversion_matrixid_fkey foreign key (matrixid) references matrix(matrixid) on delete cascade
);
create index matrixversion_matrixid_idx on matrixversion (matrixid, createddate);
alter table matrixversion enable row level security;

-- Table message
create table message (
  messageid bigint generated always as identity not null,
  message character varying(1000) collate casewright_text,
  status character varying(100) collate casewright_text,
  messagetype character varying(100) collate casewright_text,
  object character varying(60) collate "C",
  objectid bigint,
  messagetemplateid bigint,
  bodytext text collate casewright_text,
  bodyhtml text collate casewright_text,
  fromaddress character varying(255) collate casewright_text,
  fromname character varying(255) collate casewright_text,
  parentmessageid bigint,
  priority integer,
  securedelivery boolean,
  createddate timestamp with time zone default now() not null,
  createdpersonid bigint,
  updateddate timestamp with time zone default now() not null,
  updatedpersonid bigint,
  version integer default 1 not null,
  reachorganizationid bigint,
  custom jsonb,
  threadid bigint,
  internetmessageid character varying(500) collate "C",
  sentdate timestamp with time zone,
  mailinboundid bigint,
  receiveddate timestamp with time zone,
  filedby character varying(11) collate casewright_text,
  fileddetail character varying(1000) collate casewright_text,
  subjectchanged boolean,
  autosubmitted boolean,
  senderproof character varying(8) collate casewright_text,
  senderdetail character varying(1000) collate casewright_text,
  dkim character varying(4) collate casewright_text,
  spf character varying(4) collate casewright_text,
  dmarc character varying(4) collate casewright_text,
  constraint message_pkey primary key (messageid),
  constraint message_custom_check check (jsonb_typeof(custom) = 'object'::text),
  constraint message_dkim_check check (dkim::text = any (array['Pass'::character varying, 'Fail'::character varying,
    'None'::character varying]::text[])),
  constraint message_dmarc_check check (dmarc::text = any (array['Pass'::character varying, 'Fail'::character varying,
    'None'::character varying]::text[])),
  constraint message_senderproof_check check (senderproof::text = any (array['Proven'::character varying,
    'Failed'::character varying, 'Unproven'::character varying]::text[])),
  constraint message_spf_check check (spf::text = any (array['Pass'::character varying, 'Fail'::character varying,
    'None'::character varying]::text[])),
  constraint message_mailinboundid_fkey foreign key (mailinboundid) references mailinbound(mailinboundid),
  constraint message_messagetemplateid_fkey foreign key (messagetemplateid) references
    messagetemplate(messagetemplateid),
  constraint message_parentmessageid_fkey foreign key (parentmessageid) references message(messageid),
  constraint message_threadid_fkey foreign key (threadid) references message(messageid) on delete set null
);
create index message_conversation_idx on message (coalesce(threadid, messageid), coalesce(receiveddate, sentdate,
  createddate), messageid);
create index message_internetmessageid_idx on message (internetmessageid);
create index message_latest_idx on message (coalesce(receiveddate, sentdate, createddate), coalesce(threadid,
  messageid));
create index message_mailinboundid_idx on message (mailinboundid, receiveddate);
create index message_messagetemplateid_idx on message (messagetemplateid);
create index message_object_idx on message (objectid, object);
create index message_parentmessageid_idx on message (parentmessageid);
create index message_reach_idx on message (reachorganizationid, createddate);
create index message_received_idx on message (messageid) include (threadid) where (mailinboundid is not null);
create index message_sender_idx on message (createdpersonid) where ((sentdate is not null) and (mailinboundid is null));
create index message_subject_start_idx on message ("left"((casewright_fold((message)::text) collate "C"), 16));
create index message_threadid_idx on message (threadid);
create index message_unfiled_idx on message (receiveddate) where ((status)::text = 'Unfiled'::text);
create trigger message_added after insert on message referencing new table as added for each statement execute function
  casewright_history_of_message_added();
create trigger message_history after delete or update on message for each row execute function
  casewright_history_of_message();
create trigger message_reach before insert or update of object, objectid, messagetemplateid, mailinboundid,
  parentmessageid, reachorganizationid on message for each row execute function casewright_reach_message();
create trigger message_reach_links after update on message for each row when (new.reachorganizationid is distinct from
  old.reachorganizationid) execute function casewright_reach_links();
create trigger message_reach_spread after update on message for each row when (new.reachorganizationid is distinct from
  old.reachorganizationid) execute function casewright_reach_spread('Message');
create trigger message_reach_spread_licenses after update on message for each row when (new.reachorganizationid is
  distinct from old.reachorganizationid) execute function casewright_reach_licenses('Message');
create trigger message_text after update on message for each row when (new.message::text is distinct from
  old.message::text or new.bodytext is distinct from old.bodytext or new.bodyhtml is distinct from old.bodyhtml or
  new.fromaddress::text is distinct from old.fromaddress::text or new.fromname::text is distinct from
  old.fromname::text) execute function casewright_message_text_due();
create trigger message_text_added after insert on message referencing new table as added for each statement execute
  function casewright_message_text_added();
create trigger message_text_reach after update on message for each row when (new.reachorganizationid is distinct from
  old.reachorganizationid) execute function casewright_message_text_reach();
create trigger message_thread before insert on message for each row when (new.threadid is null) execute function
  casewright_thread_of_message();
alter table message enable row level security;
create policy reach on message for all to casewright_reach using ((reachorganizationid =
  (current_setting('casewright.firm'::text))::bigint)) with check ((reachorganizationid =
  (current_setting('casewright.firm'::text))::bigint));
create policy report on message for select to casewright_report using ((reachorganizationid =
  (current_setting('casewright.firm'::text))::bigint));
create policy report_all on message for select to casewright_report_all using (true);
grant delete, insert, select, update on message to casewright_reach;
grant select (messageid, message, status, messagetype, object, objectid, messagetemplateid, bodytext, bodyhtml,
  fromaddress, fromname, parentmessageid, priority, securedelivery, createddate, createdpersonid, updateddate,
  updatedpersonid, version, custom, threadid, internetmessageid, sentdate, mailinboundid, receiveddate, filedby,
  fileddetail, subjectchanged, autosubmitted, senderproof, senderdetail, dkim, spf, dmarc) on message to
  casewright_report;
grant select (messageid, message, status, messagetype, object, objectid, messagetemplateid, bodytext, bodyhtml,
  fromaddress, fromname, parentmessageid, priority, securedelivery, createddate, createdpersonid, updateddate,
  updatedpersonid, version, custom, threadid, internetmessageid, sentdate, mailinboundid, receiveddate, filedby,
  fileddetail, subjectchanged, autosubmitted, senderproof, senderdetail, dkim, spf, dmarc) on message to
  casewright_report_all;

-- Table messagefile
create table messagefile (
  attachmentid bigint not null,
  messageid bigint not null,
  constraint messagefile_pkey primary key (attachmentid),
  constraint messagefile_attachmentid_fkey foreign key (attachmentid) references attachment(attachmentid) on delete
    cascade,
  constraint messagefile_messageid_fkey foreign key (messageid) references message(messageid) on delete cascade
);
create index messagefile_messageid_idx on messagefile (messageid);
alter table messagefile enable row level security;

-- Table messageproposal
create table messageproposal (
  messageid bigint not null,
  object character varying(60) collate "C" not null,
  objectid bigint not null,
  parentmessageid bigint,
  filedby character varying(11) collate casewright_text not null,
  detail character varying(1000) collate casewright_text not null,
  createddate timestamp with time zone not null,
  constraint messageproposal_pkey primary key (messageid),
  constraint messageproposal_messageid_fkey foreign key (messageid) references message(messageid) on delete cascade,
  constraint messageproposal_parentmessageid_fkey foreign key (parentmessageid) references message(messageid) on delete
    set null
);
create index messageproposal_object_idx on messageproposal (object, objectid);
create index messageproposal_parentmessageid_idx on messageproposal (parentmessageid);
alter table messageproposal enable row level security;

-- Table messageread
create table messageread (
  messageid bigint not null,
  personid bigint not null,
  readdate timestamp with time zone not null,
  constraint messageread_pkey primary key (personid, messageid),
  constraint messageread_messageid_fkey foreign key (messageid) references message(messageid) on delete cascade,
  constraint messageread_personid_fkey foreign key (personid) references person(personid) on delete cascade
);
create index messageread_messageid_idx on messageread (messageid);
alter table messageread enable row level security;
create policy reach on messageread for select to casewright_reach using ((EXISTS ( SELECT
   FROM message m
  WHERE
  (m.messageid = messageread.messageid))));
grant select on messageread to casewright_reach;

-- Table messagerecipient
create table messagerecipient (
  messagerecipientid bigint generated always as identity not null,
  messagerecipient character varying(320) collate casewright_text,
  status character varying(100) collate casewright_text,
  messagerecipienttype character varying(100) collate casewright_text,
  messageid bigint not null,
  category integer,
  name character varying(255) collate casewright_text,
  contactid bigint,
  personid bigint,
  detail character varying(300) collate casewright_text,
  maildeliveryid bigint,
  sentdate timestamp with time zone,
  receiveddate timestamp with time zone,
  readdate timestamp with time zone,
  createddate timestamp with time zone default now() not null,
  createdpersonid bigint,
  updateddate timestamp with time zone default now() not null,
  updatedpersonid bigint,
  version integer default 1 not null,
  reachorganizationid bigint,
  custom jsonb,
  constraint messagerecipient_pkey primary key (messagerecipientid),
  constraint messagerecipient_category_check check (category >= 0 and category <= 3),
  constraint messagerecipient_custom_check check (jsonb_typeof(custom) = 'object'::text),
  constraint messagerecipient_contactid_fkey foreign key (contactid) references contact(contactid),
  constraint messagerecipient_maildeliveryid_fkey foreign key (maildeliveryid) references maildelivery(maildeliveryid)
    on delete set null,
  constraint messagerecipient_messageid_fkey foreign key (messageid) references message(messageid) on delete cascade,
  constraint messagerecipient_personid_fkey foreign key (personid) references person(personid)
);
create index messagerecipient_address_idx on messagerecipient (messagerecipient);
create index messagerecipient_contactid_idx on messagerecipient (contactid);
create index messagerecipient_maildeliveryid_idx on messagerecipient (maildeliveryid);
create index messagerecipient_messageid_idx on messagerecipient (messageid);
create index messagerecipient_personid_idx on messagerecipient (personid);
create index messagerecipient_reach_idx on messagerecipient (reachorganizationid, createddate);
create index messagerecipient_waiting_idx on messagerecipient (messageid) where ((status)::text = 'Waiting'::text);
create trigger messagerecipient_added after insert on messagerecipient referencing new table as added for each statement
  execute function casewright_history_of_messagerecipient_added();
create trigger messagerecipient_history after delete or update on messagerecipient for each row execute function
  casewright_history_of_messagerecipient();
create trigger messagerecipient_reach before insert or update of messageid, reachorganizationid, category, personid on
  messagerecipient for each row execute function casewright_reach_messagerecipient();
create trigger messagerecipient_reach_links after update on messagerecipient for each row when (new.reachorganizationid
  is distinct from old.reachorganizationid) execute function casewright_reach_links();
create trigger messagerecipient_text after update on messagerecipient for each row when (new.messagerecipient::text is
  distinct from old.messagerecipient::text or new.name::text is distinct from old.name::text or new.reachorganizationid
  is distinct from old.reachorganizationid) execute function casewright_message_text_part();
create trigger messagerecipient_text_added after insert on messagerecipient referencing new table as changed for each
  statement execute function casewright_message_text_recipients();
create trigger messagerecipient_text_removed after delete on messagerecipient referencing old table as changed for each
  statement execute function casewright_message_text_recipients();
alter table messagerecipient enable row level security;
create policy reach on messagerecipient for all to casewright_reach using ((reachorganizationid =
  (current_setting('casewright.firm'::text))::bigint)) with check ((reachorganizationid =
  (current_setting('casewright.firm'::text))::bigint));
create policy report on messagerecipient for select to casewright_report using ((reachorganizationid =
  (current_setting('casewright.firm'::text))::bigint));
create policy report_all on messagerecipient for select to casewright_report_all using (true);
grant delete, insert, select, update on messagerecipient to casewright_reach;
grant select (messagerecipientid, messagerecipient, status, messagerecipienttype, messageid, category, name, contactid,
  personid, detail, maildeliveryid, sentdate, receiveddate, readdate, createddate, createdpersonid, updateddate,
  updatedpersonid, version, custom) on messagerecipient to casewright_report;
grant select (messagerecipientid, messagerecipient, status, messagerecipienttype, messageid, category, name, contactid,
  personid, detail, maildeliveryid, sentdate, receiveddate, readdate, createddate, createdpersonid, updateddate,
  updatedpersonid, version, custom) on messagerecipient to casewright_report_all;

-- Table messagetemplate
create table messagetemplate (
  messagetemplateid bigint generated always as identity not null,
  messagetemplate character varying(100) collate casewright_text,
  status character varying(100) collate casewright_text,
  messagetemplatetype character varying(100) collate casewright_text,
  appliesto character varying(60) collate casewright_text,
  repeatable character varying(9) collate casewright_text,
  extranetenabled character varying(6) collate casewright_text,
  description character varying(10000) collate casewright_text,
  subject character varying(1000) collate casewright_text,
  bodyhtml text collate casewright_text,
  bodytext text collate casewright_text,
  bodyxsltid bigint,
  method character varying(2000) collate "C",
  fromaddress character varying(255) collate casewright_text,
  fromname character varying(255) collate casewright_text,
  tocontactid bigint,
  tocollectionid bigint,
  cccontactid bigint,
  cccollectionid bigint,
  bcccontactid bigint,
  bcccollectionid bigint,
  createddate timestamp with time zone default now() not null,
  createdpersonid bigint,
  updateddate timestamp with time zone default now() not null,
  updatedpersonid bigint,
  version integer default 1 not null,
  toaddress character varying(2000) collate "C",
  ccaddress character varying(2000) collate "C",
  bccaddress character varying(2000) collate "C",
  replytoaddress character varying(2000) collate "C",
  tomethod character varying(2000) collate "C",
  ccmethod character varying(2000) collate "C",
  bccmethod character varying(2000) collate "C",
  replytomethod character varying(2000) collate "C",
  bodylanguage character varying(6) collate casewright_text,
  attachmenttemplates character varying(2000) collate casewright_text,
  provider character varying(100) collate casewright_text,
  securedelivery boolean,
  isbulk boolean,
  variantofid bigint,
  language character varying(60) collate casewright_text,
  constraint messagetemplate_pkey primary key (messagetemplateid),
  constraint messagetemplate_bcccollectionid_fkey foreign key (bcccollectionid) references collection(collectionid),
  constraint messagetemplate_bcccontactid_fkey foreign key (bcccontactid) references contact(contactid),
  constraint messagetemplate_bodyxsltid_fkey foreign key (bodyxsltid) references attachment(attachmentid),
  constraint messagetemplate_cccollectionid_fkey foreign key (cccollectionid) references collection(collectionid),
  constraint messagetemplate_cccontactid_fkey foreign key (cccontactid) references contact(contactid),
  constraint messagetemplate_tocollectionid_fkey foreign key (tocollectionid) references collection(collectionid),
  constraint messagetemplate_tocontactid_fkey foreign key (tocontactid) references contact(contactid),
  constraint messagetemplate_variantofid_fkey foreign key (variantofid) references messagetemplate(messagetemplateid)
);
create index messagetemplate_bcccollectionid_idx on messagetemplate (bcccollectionid);
create index messagetemplate_bcccontactid_idx on messagetemplate (bcccontactid);
create index messagetemplate_bodyxsltid_idx on messagetemplate (bodyxsltid);
create index messagetemplate_cccollectionid_idx on messagetemplate (cccollectionid);
create index messagetemplate_cccontactid_idx on messagetemplate (cccontactid);
create unique index messagetemplate_messagetemplate_key on messagetemplate (messagetemplate, coalesce(appliesto,
  ''::character varying));
create index messagetemplate_tocollectionid_idx on messagetemplate (tocollectionid);
create index messagetemplate_tocontactid_idx on messagetemplate (tocontactid);
create index messagetemplate_variantofid_idx on messagetemplate (variantofid);
create trigger messagetemplate_added after insert on messagetemplate referencing new table as added for each statement
  execute function casewright_history_of_messagetemplate_added();
create trigger messagetemplate_configuration after insert or delete or update on messagetemplate for each statement
  execute function casewright_configuration();
create trigger messagetemplate_history after delete or update on messagetemplate for each row execute function
  casewright_history_of_messagetemplate();
create trigger messagetemplate_reach after update on messagetemplate for each row when (new.extranetenabled::text is
  distinct from old.extranetenabled::text) execute function casewright_reach_template('message');
alter table messagetemplate enable row level security;
create policy reach on messagetemplate for select to casewright_reach, casewright_report, casewright_report_all using
  (true);
grant select on messagetemplate to casewright_reach;
grant select (messagetemplateid, messagetemplate, status, messagetemplatetype, appliesto, repeatable, extranetenabled,
  description, subject, bodyhtml, bodytext, bodyxsltid, method, fromaddress, fromname, tocontactid, tocollectionid,
  cccontactid, cccollectionid, bcccontactid, bcccollectionid, createddate, createdpersonid, updateddate,
  updatedpersonid, version, toaddress, ccaddress, bccaddress, replytoaddress, tomethod, ccmethod, bccmethod,
  replytomethod, bodylanguage, attachmenttemplates, provider, securedelivery, isbulk, variantofid, language) on
  messagetemplate to casewright_report;
grant select (messagetemplateid, messagetemplate, status, messagetemplatetype, appliesto, repeatable, extranetenabled,
  description, subject, bodyhtml, bodytext, bodyxsltid, method, fromaddress, fromname, tocontactid, tocollectionid,
  cccontactid, cccollectionid, bcccontactid, bcccollectionid, createddate, createdpersonid, updateddate,
  updatedpersonid, version, toaddress, ccaddress, bccaddress, replytoaddress, tomethod, ccmethod, bccmethod,
  replytomethod, bodylanguage, attachmenttemplates, provider, securedelivery, isbulk, variantofid, language) on
  messagetemplate to casewright_report_all;

-- Table messagetext
create table messagetext (
  messageid bigint not null,
  page integer default 0 not null,
  reachorganizationid bigint,
  due integer default 1 not null,
  words tsvector storage main default ''::tsvector not null,
  constraint messagetext_pkey primary key (messageid, page),
  constraint messagetext_page_check check (page = 0 or page = 1 and reachorganizationid is null and due = 0),
  constraint messagetext_messageid_fkey foreign key (messageid) references message(messageid) on delete cascade
);
create index messagetext_due_idx on messagetext (messageid) where (due > 0);
create index messagetext_text_idx on messagetext using gin (words, casewright_page_pairs(words)) with
  (gin_pending_list_limit='512');
create trigger messagetext_words_added after insert on messagetext referencing new table as added for each statement
  execute function casewright_note_words();
create trigger messagetext_words_changed after update on messagetext referencing new table as added for each statement
  execute function casewright_note_words();
alter table messagetext enable row level security;
create policy reach on messagetext for select to casewright_reach using ((reachorganizationid =
  (current_setting('casewright.firm'::text))::bigint));
grant select on messagetext to casewright_reach;

-- Table migration
create table migration (
  name text not null,
  hash text not null,
  applied timestamp with time zone default now() not null,
  online boolean default true not null,
  constraint migration_pkey primary key (name)
);

-- Table militaryservice
create table militaryservice (
  militaryserviceid bigint generated always as identity not null,
  militaryservice character varying(255) collate casewright_text,
  status character varying(100) collate casewright_text,
  militaryservicetype character varying(100) collate casewright_text,
  lastname character varying(100) collate casewright_text not null,
  firstname character varying(100) collate casewright_text,
  birthdate date,
  usssncipher bytea,
  usssnindex bytea,
  usssn4 character varying(4) collate "C",
  activedutystartdate date not null,
  activedutyenddate date,
  notificationdate date,
  servicecomponentcode character varying(2) collate "C",
  createddate timestamp with time zone default now() not null,
  createdpersonid bigint,
  updateddate timestamp with time zone default now() not null,
  updatedpersonid bigint,
  version integer default 1 not null,
  constraint militaryservice_pkey primary key (militaryserviceid),
  constraint militaryservice_dates_check check (activedutyenddate >= activedutystartdate)
);
create index militaryservice_lastname_idx on militaryservice (lastname, birthdate);
create index militaryservice_usssnindex_idx on militaryservice (usssnindex);
create trigger militaryservice_added after insert on militaryservice referencing new table as added for each statement
  execute function casewright_history_of_militaryservice_added();
create trigger militaryservice_history after delete or update on militaryservice for each row execute function
  casewright_history_of_militaryservice();
alter table militaryservice enable row level security;
create policy report_all on militaryservice for select to casewright_report_all using (true);
grant select (militaryserviceid, militaryservice, status, militaryservicetype, lastname, firstname, birthdate, usssn4,
  activedutystartdate, activedutyenddate, notificationdate, servicecomponentcode, createddate, createdpersonid,
  updateddate, updatedpersonid, version) on militaryservice to casewright_report;
grant select (militaryserviceid, militaryservice, status, militaryservicetype, lastname, firstname, birthdate, usssn4,
  activedutystartdate, activedutyenddate, notificationdate, servicecomponentcode, createddate, createdpersonid,
  updateddate, updatedpersonid, version) on militaryservice to casewright_report_all;

-- Table notification
create table notification (
  notificationid bigint generated always as identity not null,
  notification character varying(255) collate casewright_text,
  status character varying(100) collate casewright_text,
  notificationtype character varying(100) collate casewright_text,
  personid bigint not null,
  object character varying(60) collate "C" not null,
  objectid bigint not null,
  kind character varying(10) collate casewright_text not null,
  count integer not null,
  readdate timestamp with time zone,
  createddate timestamp with time zone default now() not null,
  createdpersonid bigint,
  updateddate timestamp with time zone default now() not null,
  updatedpersonid bigint,
  version integer default 1 not null,
  constraint notification_pkey primary key (notificationid),
  constraint notification_count_check check (count > 0),
  constraint notification_personid_fkey foreign key (personid) references person(personid)
);
create index notification_personid_idx on notification (personid, notificationid);
create index notification_record_idx on notification (personid, objectid, object, notificationid);
create index notification_unread_idx on notification (personid) where (readdate is null);
create trigger notification_added after insert on notification referencing new table as added for each statement execute
  function casewright_history_of_notification_added();
create trigger notification_changed after update on notification referencing new table as added for each statement
  execute function casewright_history_of_notification_added();
alter table notification enable row level security;

-- Table notificationposition
create table notificationposition (
  singleton boolean default true not null,
  "position" text collate "C",
  constraint notificationposition_pkey primary key (singleton),
  constraint notificationposition_singleton_check check (singleton)
);

-- Table objectlink
create table objectlink (
  objectlinkid bigint generated always as identity not null,
  objectlink character varying(255) collate casewright_text,
  status character varying(100) collate casewright_text,
  objectlinktype character varying(100) collate casewright_text,
  primaryobject character varying(60) collate "C" not null,
  primaryobjectid bigint not null,
  linkedobject character varying(60) collate "C" not null,
  linkedobjectid bigint not null,
  createddate timestamp with time zone default now() not null,
  createdpersonid bigint,
  updateddate timestamp with time zone default now() not null,
  updatedpersonid bigint,
  version integer default 1 not null,
  custom jsonb,
  reachorganizationid bigint[] default '{}'::bigint[] not null,
  constraint objectlink_pkey primary key (objectlinkid),
  constraint objectlink_custom_check check (jsonb_typeof(custom) = 'object'::text)
);
create index objectlink_linked_idx on objectlink (linkedobjectid, linkedobject, primaryobject, primaryobjectid);
create unique index objectlink_objectlinktype_key on objectlink (primaryobjectid, primaryobject, linkedobjectid,
  linkedobject, objectlinktype) nulls not distinct;
create index objectlink_reach_idx on objectlink using gin (reachorganizationid);
create index objectlink_set_idx on objectlink (objectlinktype, objectlinkid);
create trigger objectlink_added after insert on objectlink referencing new table as added for each statement execute
  function casewright_history_of_objectlink_added();
create trigger objectlink_history after delete or update on objectlink for each row execute function
  casewright_history_of_objectlink();
create trigger objectlink_message_text after insert on objectlink for each row when (new.primaryobject::text =
  'Message'::text and new.linkedobject::text = 'Attachment'::text) execute function casewright_message_text_part();
create trigger objectlink_message_text_removed after delete on objectlink for each row when (old.primaryobject::text =
  'Message'::text and old.linkedobject::text = 'Attachment'::text) execute function casewright_message_text_part();
create trigger objectlink_reach before insert or update of primaryobject, primaryobjectid, linkedobject, linkedobjectid,
  reachorganizationid on objectlink for each row execute function casewright_reach_objectlink();
create trigger objectlink_reach_links after update on objectlink for each row when (new.reachorganizationid is distinct
  from old.reachorganizationid) execute function casewright_reach_links();
alter table objectlink enable row level security;
create policy reach on objectlink for all to casewright_reach using ((reachorganizationid @>
  ARRAY[(current_setting('casewright.firm'::text))::bigint])) with check ((reachorganizationid @>
  ARRAY[(current_setting('casewright.firm'::text))::bigint]));
create policy report on objectlink for select to casewright_report using ((reachorganizationid @>
  ARRAY[(current_setting('casewright.firm'::text))::bigint]));
create policy report_all on objectlink for select to casewright_report_all using (true);
grant delete, insert, select, update on objectlink to casewright_reach;
grant select (objectlinkid, objectlink, status, objectlinktype, primaryobject, primaryobjectid, linkedobject,
  linkedobjectid, createddate, createdpersonid, updateddate, updatedpersonid, version, custom) on objectlink to
  casewright_report;
grant select (objectlinkid, objectlink, status, objectlinktype, primaryobject, primaryobjectid, linkedobject,
  linkedobjectid, createddate, createdpersonid, updateddate, updatedpersonid, version, custom) on objectlink to
  casewright_report_all;

-- Table objectsubscription
create table objectsubscription (
  objectsubscriptionid bigint generated always as identity not null,
  objectsubscription character varying(255) collate casewright_text,
  status character varying(100) collate casewright_text,
  objectsubscriptiontype character varying(100) collate casewright_text,
  object character varying(60) collate "C",
  objectid bigint,
  subscriberid character varying(255) collate "C" not null,
  organizationid bigint default 0 not null,
  createddate timestamp with time zone default now() not null,
  createdpersonid bigint,
  updateddate timestamp with time zone default now() not null,
  updatedpersonid bigint,
  version integer default 1 not null,
  reachorganizationid bigint generated always as (NULLIF(organizationid, 0)) stored,
  custom jsonb,
  constraint objectsubscription_pkey primary key (objectsubscriptionid),
  constraint objectsubscription_custom_check check (jsonb_typeof(custom) = 'object'::text)
);
create index objectsubscription_object_idx on objectsubscription (objectid, object);
create index objectsubscription_reach_idx on objectsubscription (reachorganizationid, createddate);
create unique index objectsubscription_subscriberid_key on objectsubscription (subscriberid, organizationid, object);
create trigger objectsubscription_added after insert on objectsubscription referencing new table as added for each
  statement execute function casewright_history_of_objectsubscription_added();
create trigger objectsubscription_history after delete or update on objectsubscription for each row execute function
  casewright_history_of_objectsubscription();
create trigger objectsubscription_reach_links after update on objectsubscription for each row when
  (new.reachorganizationid is distinct from old.reachorganizationid) execute function casewright_reach_links();
alter table objectsubscription enable row level security;
create policy reach on objectsubscription for all to casewright_reach using ((reachorganizationid =
  (current_setting('casewright.firm'::text))::bigint)) with check ((reachorganizationid =
  (current_setting('casewright.firm'::text))::bigint));
create policy report on objectsubscription for select to casewright_report using ((reachorganizationid =
  (current_setting('casewright.firm'::text))::bigint));
create policy report_all on objectsubscription for select to casewright_report_all using (true);
grant delete, insert, select, update on objectsubscription to casewright_reach;
grant select (objectsubscriptionid, objectsubscription, status, objectsubscriptiontype, object, objectid, subscriberid,
  organizationid, createddate, createdpersonid, updateddate, updatedpersonid, version, custom) on objectsubscription to
  casewright_report;
grant select (objectsubscriptionid, objectsubscription, status, objectsubscriptiontype, object, objectid, subscriberid,
  organizationid, createddate, createdpersonid, updateddate, updatedpersonid, version, custom) on objectsubscription to
  casewright_report_all;

-- Table organization
create table organization (
  organizationid bigint not null,
  providercode character varying(50) collate "C",
  website character varying(255) collate casewright_text,
  reachorganizationid bigint[] default '{}'::bigint[] not null,
  constraint organization_pkey primary key (organizationid),
  constraint organization_organizationid_fkey foreign key (organizationid) references contact(contactid) on delete
    cascade
);
create unique index organization_providercode_key on organization (providercode);
create trigger organization_history after delete or update on organization for each row execute function
  casewright_history_of_organization();
create trigger organization_reach_links after update on organization for each row when (new.reachorganizationid is
  distinct from old.reachorganizationid) execute function casewright_reach_links();
alter table organization enable row level security;
create policy reach on organization for all to casewright_reach using ((reachorganizationid @>
  ARRAY[(current_setting('casewright.firm'::text))::bigint])) with check ((reachorganizationid @>
  ARRAY[(current_setting('casewright.firm'::text))::bigint]));
create policy report on organization for select to casewright_report using ((reachorganizationid @>
  ARRAY[(current_setting('casewright.firm'::text))::bigint]));
create policy report_all on organization for select to casewright_report_all using (true);
grant delete, insert, select, update on organization to casewright_reach;
grant select (organizationid, providercode, website) on organization to casewright_report;
grant select (organizationid, providercode, website) on organization to casewright_report_all;

-- Table organizationlookup
create table organizationlookup (
  organizationid bigint not null,
  codehash bytea not null,
  code character varying(500) collate "C" not null,
  createddate timestamp with time zone not null,
  createdpersonid bigint,
  constraint organizationlookup_pkey primary key (organizationid),
  constraint organizationlookup_organizationid_fkey foreign key (organizationid) references organization(organizationid)
    on delete cascade
);
create unique index organizationlookup_codehash_idx on organizationlookup (codehash);

-- Table organizationschedule
create table organizationschedule (
  organizationscheduleid bigint generated always as identity not null,
  organizationid bigint,
  personid bigint,
  scheduleid uuid,
  schedulename character varying(200) collate "C" not null,
  signature character varying(20000) collate "C" not null,
  stoppeddate timestamp with time zone,
  stoppedreason character varying(300) collate "C",
  createddate timestamp with time zone not null,
  createdpersonid bigint,
  constraint organizationschedule_pkey primary key (organizationscheduleid),
  constraint organizationschedule_organizationid_fkey foreign key (organizationid) references
    organization(organizationid) on delete set null,
  constraint organizationschedule_personid_fkey foreign key (personid) references person(personid) on delete set null
);
create index organizationschedule_organizationid_idx on organizationschedule (organizationid);
create index organizationschedule_personid_idx on organizationschedule (personid);

-- Table pagelayout
create table pagelayout (
  pagelayoutid bigint generated always as identity not null,
  pagelayout character varying(100) collate casewright_text,
  status character varying(100) collate casewright_text,
  pagelayouttype character varying(100) collate casewright_text,
  appliesto character varying(60) collate "C" not null,
  processtype character varying(100) collate casewright_text,
  role character varying(100) collate casewright_text,
  layout character varying(100000) collate "C" not null,
  description character varying(1000) collate casewright_text,
  createddate timestamp with time zone default now() not null,
  createdpersonid bigint,
  updateddate timestamp with time zone default now() not null,
  updatedpersonid bigint,
  version integer default 1 not null,
  constraint pagelayout_pkey primary key (pagelayoutid)
);
create trigger pagelayout_added after insert on pagelayout referencing new table as added for each statement execute
  function casewright_history_of_pagelayout_added();
create trigger pagelayout_configuration after insert or delete or update on pagelayout for each statement execute
  function casewright_configuration();
create trigger pagelayout_history after delete or update on pagelayout for each row execute function
  casewright_history_of_pagelayout();
alter table pagelayout enable row level security;
create policy reach on pagelayout for select to casewright_reach, casewright_report, casewright_report_all using (true);
grant select on pagelayout to casewright_reach;
grant select (pagelayoutid, pagelayout, status, pagelayouttype, appliesto, processtype, role, layout, description,
  createddate, createdpersonid, updateddate, updatedpersonid, version) on pagelayout to casewright_report;
grant select (pagelayoutid, pagelayout, status, pagelayouttype, appliesto, processtype, role, layout, description,
  createddate, createdpersonid, updateddate, updatedpersonid, version) on pagelayout to casewright_report_all;

-- Table payment
create table payment (
  paymentid bigint generated always as identity not null,
  payment character varying(255) collate casewright_text,
  status character varying(13) collate casewright_text not null,
  paymenttype character varying(100) collate casewright_text,
  object character varying(60) collate "C",
  objectid bigint,
  ledgerid bigint,
  ledgeritemid bigint,
  paymentmethodid bigint,
  paymentsubscriptionid bigint,
  paymentproviderid bigint,
  purpose character varying(19) collate casewright_text not null,
  amount numeric(19,4) not null,
  currency character varying(3) collate "C" not null,
  capturedamount numeric(19,4),
  refundedamount numeric(19,4),
  paymentkey character varying(36) collate "C" not null,
  gatewaypaymentid character varying(255) collate "C",
  declinecode character varying(100) collate "C",
  detail character varying(300) collate "C",
  pendingaction character varying(7) collate casewright_text,
  pendingamount numeric(19,4),
  requesteddate timestamp with time zone not null,
  settleddate timestamp with time zone,
  nextcheck timestamp with time zone,
  checks integer,
  createddate timestamp with time zone default now() not null,
  createdpersonid bigint,
  updateddate timestamp with time zone default now() not null,
  updatedpersonid bigint,
  version integer default 1 not null,
  reachorganizationid bigint,
  custom jsonb,
  constraint payment_pkey primary key (paymentid),
  constraint payment_amount_check check (amount > 0::numeric),
  constraint payment_check check (capturedamount >= 0::numeric and refundedamount >= 0::numeric),
  constraint payment_check1 check ((status::text <> all (array['Authorized'::character varying, 'Captured'::character
    varying, 'Pending'::character varying, 'Voided'::character varying]::text[])) or gatewaypaymentid is not null),
  constraint payment_check2 check (pendingaction is null or (status::text = any (array['Authorized'::character varying,
    'Unknown'::character varying]::text[]))),
  constraint payment_custom_check check (jsonb_typeof(custom) = 'object'::text),
  constraint payment_status_check check (status::text = any (array['Requested'::character varying,
    'Authorized'::character varying, 'Captured'::character varying, 'Pending'::character varying, 'Declined'::character
    varying, 'Voided'::character varying, 'Unknown'::character varying, 'NotCarriedOut'::character varying]::text[])),
  constraint payment_ledgerid_fkey foreign key (ledgerid) references ledger(ledgerid),
  constraint payment_ledgeritemid_fkey foreign key (ledgeritemid) references ledgeritem(ledgeritemid),
  constraint payment_paymentmethodid_fkey foreign key (paymentmethodid) references paymentmethod(paymentmethodid),
  constraint payment_paymentproviderid_fkey foreign key (paymentproviderid) references
    paymentprovider(paymentproviderid),
  constraint payment_paymentsubscriptionid_fkey foreign key (paymentsubscriptionid) references
    paymentsubscription(paymentsubscriptionid)
);
create unique index payment_gatewaypaymentid_key on payment (paymentproviderid, gatewaypaymentid);
create index payment_ledgerid_idx on payment (ledgerid);
create index payment_ledgeritemid_idx on payment (ledgeritemid);
create index payment_nextcheck_idx on payment (nextcheck) where (nextcheck is not null);
create index payment_object_idx on payment (objectid, object);
create unique index payment_open_key on payment (ledgerid) where ((status)::text = any ((array['Requested'::character
  varying, 'Unknown'::character varying, 'Pending'::character varying, 'Authorized'::character varying])::text[]));
create unique index payment_paymentkey_key on payment (paymentkey);
create index payment_paymentmethodid_idx on payment (paymentmethodid);
create index payment_paymentsubscriptionid_idx on payment (paymentsubscriptionid);
create index payment_period_idx on payment (paymentproviderid, requesteddate);
create index payment_reach_idx on payment (reachorganizationid, createddate);
create trigger payment_added after insert on payment referencing new table as added for each statement execute function
  casewright_history_of_payment_added();
create trigger payment_history after delete or update on payment for each row execute function
  casewright_history_of_payment();
create trigger payment_reach before insert or update of ledgerid, paymentmethodid, object, objectid, reachorganizationid
  on payment for each row execute function casewright_reach_payment();
create trigger payment_reach_links after update on payment for each row when (new.reachorganizationid is distinct from
  old.reachorganizationid) execute function casewright_reach_links();
create trigger payment_reach_payments after update on payment for each row when (new.reachorganizationid is distinct
  from old.reachorganizationid) execute function casewright_reach_payments('Payment');
alter table payment enable row level security;
create policy reach on payment for all to casewright_reach using ((reachorganizationid =
  (current_setting('casewright.firm'::text))::bigint)) with check ((reachorganizationid =
  (current_setting('casewright.firm'::text))::bigint));
create policy report on payment for select to casewright_report using ((reachorganizationid =
  (current_setting('casewright.firm'::text))::bigint));
create policy report_all on payment for select to casewright_report_all using (true);
grant delete, insert, select, update on payment to casewright_reach;
grant select (paymentid, payment, status, paymenttype, object, objectid, ledgerid, ledgeritemid, paymentmethodid,
  paymentsubscriptionid, paymentproviderid, purpose, amount, currency, capturedamount, refundedamount, paymentkey,
  gatewaypaymentid, declinecode, detail, pendingaction, pendingamount, requesteddate, settleddate, nextcheck, checks,
  createddate, createdpersonid, updateddate, updatedpersonid, version, custom) on payment to casewright_report;
grant select (paymentid, payment, status, paymenttype, object, objectid, ledgerid, ledgeritemid, paymentmethodid,
  paymentsubscriptionid, paymentproviderid, purpose, amount, currency, capturedamount, refundedamount, paymentkey,
  gatewaypaymentid, declinecode, detail, pendingaction, pendingamount, requesteddate, settleddate, nextcheck, checks,
  createddate, createdpersonid, updateddate, updatedpersonid, version, custom) on payment to casewright_report_all;

-- Table paymentcustomer
create table paymentcustomer (
  paymentcustomerid bigint generated always as identity not null,
  paymentcustomer character varying(255) collate casewright_text,
  status character varying(8) collate casewright_text,
  paymentcustomertype character varying(100) collate casewright_text,
  object character varying(60) collate "C",
  objectid bigint,
  paymentproviderid bigint,
  name character varying(255) collate casewright_text not null,
  email character varying(254) collate "C",
  telephone character varying(40) collate casewright_text,
  street character varying(255) collate casewright_text,
  street2 character varying(255) collate casewright_text,
  city character varying(100) collate casewright_text,
  state character varying(50) collate casewright_text,
  postalcode character varying(20) collate casewright_text,
  country character varying(2) collate "C",
  gatewaycustomerid character varying(255) collate "C",
  customerkey character varying(36) collate "C",
  detail character varying(300) collate "C",
  createddate timestamp with time zone default now() not null,
  createdpersonid bigint,
  updateddate timestamp with time zone default now() not null,
  updatedpersonid bigint,
  version integer default 1 not null,
  reachorganizationid bigint,
  custom jsonb,
  constraint paymentcustomer_pkey primary key (paymentcustomerid),
  constraint paymentcustomer_custom_check check (jsonb_typeof(custom) = 'object'::text),
  constraint paymentcustomer_status_check check (status::text = any (array['New'::character varying,
    'Waiting'::character varying, 'Current'::character varying, 'Removing'::character varying, 'Removed'::character
    varying]::text[])),
  constraint paymentcustomer_paymentproviderid_fkey foreign key (paymentproviderid) references
    paymentprovider(paymentproviderid)
);
create unique index paymentcustomer_gatewaycustomerid_key on paymentcustomer (paymentproviderid, gatewaycustomerid);
create index paymentcustomer_object_idx on paymentcustomer (objectid, object);
create index paymentcustomer_reach_idx on paymentcustomer (reachorganizationid, createddate);
create trigger paymentcustomer_added after insert on paymentcustomer referencing new table as added for each statement
  execute function casewright_history_of_paymentcustomer_added();
create trigger paymentcustomer_history after delete or update on paymentcustomer for each row execute function
  casewright_history_of_paymentcustomer();
create trigger paymentcustomer_reach before insert or update of object, objectid, reachorganizationid on paymentcustomer
  for each row execute function casewright_reach_payment();
create trigger paymentcustomer_reach_links after update on paymentcustomer for each row when (new.reachorganizationid is
  distinct from old.reachorganizationid) execute function casewright_reach_links();
alter table paymentcustomer enable row level security;
create policy reach on paymentcustomer for all to casewright_reach using ((reachorganizationid =
  (current_setting('casewright.firm'::text))::bigint)) with check ((reachorganizationid =
  (current_setting('casewright.firm'::text))::bigint));
create policy report on paymentcustomer for select to casewright_report using ((reachorganizationid =
  (current_setting('casewright.firm'::text))::bigint));
create policy report_all on paymentcustomer for select to casewright_report_all using (true);
grant delete, insert, select, update on paymentcustomer to casewright_reach;
grant select (paymentcustomerid, paymentcustomer, status, paymentcustomertype, object, objectid, paymentproviderid,
  name, email, telephone, street, street2, city, state, postalcode, country, gatewaycustomerid, customerkey, detail,
  createddate, createdpersonid, updateddate, updatedpersonid, version, custom) on paymentcustomer to casewright_report;
grant select (paymentcustomerid, paymentcustomer, status, paymentcustomertype, object, objectid, paymentproviderid,
  name, email, telephone, street, street2, city, state, postalcode, country, gatewaycustomerid, customerkey, detail,
  createddate, createdpersonid, updateddate, updatedpersonid, version, custom) on paymentcustomer to
  casewright_report_all;

-- Table paymentdifference
create table paymentdifference (
  paymentdifferenceid bigint generated always as identity not null,
  paymentdifference character varying(255) collate casewright_text,
  status character varying(8) collate casewright_text not null,
  paymentdifferencetype character varying(100) collate casewright_text,
  paymentproviderid bigint,
  day date not null,
  kind character varying(16) collate casewright_text not null,
  gatewayid character varying(255) collate "C",
  paymentid bigint,
  ours character varying(255) collate "C",
  theirs character varying(255) collate "C",
  resolveddate timestamp with time zone,
  resolvedpersonid bigint,
  note character varying(4000) collate casewright_text,
  createddate timestamp with time zone default now() not null,
  createdpersonid bigint,
  updateddate timestamp with time zone default now() not null,
  updatedpersonid bigint,
  version integer default 1 not null,
  constraint paymentdifference_pkey primary key (paymentdifferenceid),
  constraint paymentdifference_status_check check (status::text = any (array['Open'::character varying,
    'Resolved'::character varying, 'Cleared'::character varying]::text[])),
  constraint paymentdifference_paymentid_fkey foreign key (paymentid) references payment(paymentid),
  constraint paymentdifference_paymentproviderid_fkey foreign key (paymentproviderid) references
    paymentprovider(paymentproviderid)
);
create unique index paymentdifference_difference_key on paymentdifference (paymentproviderid, day, kind, gatewayid,
  paymentid) nulls not distinct;
create index paymentdifference_open_idx on paymentdifference (day) where ((status)::text = 'Open'::text);
create index paymentdifference_paymentid_idx on paymentdifference (paymentid);
alter table paymentdifference enable row level security;
grant select (paymentdifferenceid, paymentdifference, status, paymentdifferencetype, paymentproviderid, day, kind,
  gatewayid, paymentid, ours, theirs, resolveddate, resolvedpersonid, note, createddate, createdpersonid, updateddate,
  updatedpersonid, version) on paymentdifference to casewright_report;
grant select (paymentdifferenceid, paymentdifference, status, paymentdifferencetype, paymentproviderid, day, kind,
  gatewayid, paymentid, ours, theirs, resolveddate, resolvedpersonid, note, createddate, createdpersonid, updateddate,
  updatedpersonid, version) on paymentdifference to casewright_report_all;

-- Table paymentdispute
create table paymentdispute (
  paymentdisputeid bigint generated always as identity not null,
  paymentdispute character varying(255) collate casewright_text,
  status character varying(4) collate casewright_text not null,
  paymentdisputetype character varying(100) collate casewright_text,
  paymentid bigint not null,
  paymentproviderid bigint,
  gatewaydisputeid character varying(255) collate "C" not null,
  amount numeric(19,4) not null,
  currency character varying(3) collate "C" not null,
  reason character varying(100) collate "C",
  answerby timestamp with time zone,
  openeddate timestamp with time zone,
  closeddate timestamp with time zone,
  ledgeritemid bigint,
  createddate timestamp with time zone default now() not null,
  createdpersonid bigint,
  updateddate timestamp with time zone default now() not null,
  updatedpersonid bigint,
  version integer default 1 not null,
  reachorganizationid bigint,
  custom jsonb,
  constraint paymentdispute_pkey primary key (paymentdisputeid),
  constraint paymentdispute_custom_check check (jsonb_typeof(custom) = 'object'::text),
  constraint paymentdispute_status_check check (status::text = any (array['Open'::character varying, 'Won'::character
    varying, 'Lost'::character varying]::text[])),
  constraint paymentdispute_ledgeritemid_fkey foreign key (ledgeritemid) references ledgeritem(ledgeritemid),
  constraint paymentdispute_paymentid_fkey foreign key (paymentid) references payment(paymentid),
  constraint paymentdispute_paymentproviderid_fkey foreign key (paymentproviderid) references
    paymentprovider(paymentproviderid)
);
create unique index paymentdispute_gatewaydisputeid_key on paymentdispute (paymentproviderid, gatewaydisputeid);
create index paymentdispute_ledgeritemid_idx on paymentdispute (ledgeritemid);
create index paymentdispute_paymentid_idx on paymentdispute (paymentid);
create index paymentdispute_reach_idx on paymentdispute (reachorganizationid, createddate);
create trigger paymentdispute_added after insert on paymentdispute referencing new table as added for each statement
  execute function casewright_history_of_paymentdispute_added();
create trigger paymentdispute_history after delete or update on paymentdispute for each row execute function
  casewright_history_of_paymentdispute();
create trigger paymentdispute_reach before insert or update of paymentid, reachorganizationid on paymentdispute for each
  row execute function casewright_reach_payment();
create trigger paymentdispute_reach_links after update on paymentdispute for each row when (new.reachorganizationid is
  distinct from old.reachorganizationid) execute function casewright_reach_links();
alter table paymentdispute enable row level security;
create policy reach on paymentdispute for all to casewright_reach using ((reachorganizationid =
  (current_setting('casewright.firm'::text))::bigint)) with check ((reachorganizationid =
  (current_setting('casewright.firm'::text))::bigint));
create policy report on paymentdispute for select to casewright_report using ((reachorganizationid =
  (current_setting('casewright.firm'::text))::bigint));
create policy report_all on paymentdispute for select to casewright_report_all using (true);
grant delete, insert, select, update on paymentdispute to casewright_reach;
grant select (paymentdisputeid, paymentdispute, status, paymentdisputetype, paymentid, paymentproviderid,
  gatewaydisputeid, amount, currency, reason, answerby, openeddate, closeddate, ledgeritemid, createddate,
  createdpersonid, updateddate, updatedpersonid, version, custom) on paymentdispute to casewright_report;
grant select (paymentdisputeid, paymentdispute, status, paymentdisputetype, paymentid, paymentproviderid,
  gatewaydisputeid, amount, currency, reason, answerby, openeddate, closeddate, ledgeritemid, createddate,
  createdpersonid, updateddate, updatedpersonid, version, custom) on paymentdispute to casewright_report_all;

-- Table paymentevent
create table paymentevent (
  paymenteventid bigint generated always as identity not null,
  paymentevent character varying(255) collate casewright_text,
  status character varying(9) collate casewright_text not null,
  paymenteventtype character varying(100) collate casewright_text,
  paymentproviderid bigint,
  gatewayeventid character varying(255) collate "C" not null,
  objectkind character varying(12) collate casewright_text,
  gatewayobjectid character varying(255) collate "C",
  paymentid bigint,
  created timestamp with time zone,
  receiveddate timestamp with time zone,
  reason character varying(300) collate "C",
  createddate timestamp with time zone default now() not null,
  createdpersonid bigint,
  updateddate timestamp with time zone default now() not null,
  updatedpersonid bigint,
  version integer default 1 not null,
  constraint paymentevent_pkey primary key (paymenteventid),
  constraint paymentevent_status_check check (status::text = any (array['Received'::character varying,
    'Processed'::character varying, 'Ignored'::character varying, 'Failed'::character varying]::text[])),
  constraint paymentevent_paymentid_fkey foreign key (paymentid) references payment(paymentid),
  constraint paymentevent_paymentproviderid_fkey foreign key (paymentproviderid) references
    paymentprovider(paymentproviderid)
);
create unique index paymentevent_gatewayeventid_key on paymentevent (paymentproviderid, gatewayeventid);
create index paymentevent_paymentid_idx on paymentevent (paymentid);
create index paymentevent_receiveddate_idx on paymentevent (receiveddate);
alter table paymentevent enable row level security;
grant select (paymenteventid, paymentevent, status, paymenteventtype, paymentproviderid, gatewayeventid, objectkind,
  gatewayobjectid, paymentid, created, receiveddate, reason, createddate, createdpersonid, updateddate, updatedpersonid,
  version) on paymentevent to casewright_report;
grant select (paymenteventid, paymentevent, status, paymenteventtype, paymentproviderid, gatewayeventid, objectkind,
  gatewayobjectid, paymentid, created, receiveddate, reason, createddate, createdpersonid, updateddate, updatedpersonid,
  version) on paymentevent to casewright_report_all;

-- Table paymentmethod
create table paymentmethod (
  paymentmethodid bigint generated always as identity not null,
  paymentmethod character varying(255) collate casewright_text,
  status character varying(9) collate casewright_text not null,
  paymentmethodtype character varying(100) collate casewright_text,
  object character varying(60) collate "C",
  objectid bigint,
  paymentcustomerid bigint not null,
  paymentproviderid bigint,
  kind character varying(4) collate casewright_text,
  brand character varying(60) collate casewright_text,
  lastfour character varying(4) collate "C",
  expirymonth integer,
  expiryyear integer,
  gatewaymethodid character varying(255) collate "C",
  vaultkey character varying(36) collate "C" not null,
  gatewayreference character varying(255) collate "C",
  detail character varying(300) collate "C",
  createddate timestamp with time zone default now() not null,
  createdpersonid bigint,
  updateddate timestamp with time zone default now() not null,
  updatedpersonid bigint,
  version integer default 1 not null,
  reachorganizationid bigint,
  custom jsonb,
  returnhash character varying(64) collate "C",
  checks integer,
  nextcheck timestamp with time zone,
  constraint paymentmethod_pkey primary key (paymentmethodid),
  constraint paymentmethod_check check ((status::text <> all (array['Active'::character varying, 'Inactive'::character
    varying]::text[])) or gatewaymethodid is not null),
  constraint paymentmethod_custom_check check (jsonb_typeof(custom) = 'object'::text),
  constraint paymentmethod_status_check check (status::text = any (array['Requested'::character varying,
    'Active'::character varying, 'Inactive'::character varying, 'Expired'::character varying, 'Removed'::character
    varying, 'Failed'::character varying]::text[])),
  constraint paymentmethod_paymentcustomerid_fkey foreign key (paymentcustomerid) references
    paymentcustomer(paymentcustomerid),
  constraint paymentmethod_paymentproviderid_fkey foreign key (paymentproviderid) references
    paymentprovider(paymentproviderid)
);
create unique index paymentmethod_active_key on paymentmethod (objectid, object) where ((status)::text =
  'Active'::text);
create unique index paymentmethod_gatewaymethodid_key on paymentmethod (paymentproviderid, gatewaymethodid);
create index paymentmethod_gatewayreference_idx on paymentmethod (gatewayreference) where (gatewayreference is not
  null);
create index paymentmethod_object_idx on paymentmethod (objectid, object);
create index paymentmethod_paymentcustomerid_idx on paymentmethod (paymentcustomerid);
create index paymentmethod_reach_idx on paymentmethod (reachorganizationid, createddate);
create index paymentmethod_requested_idx on paymentmethod (updateddate) where ((status)::text = 'Requested'::text);
create unique index paymentmethod_vaultkey_key on paymentmethod (vaultkey);
create trigger paymentmethod_added after insert on paymentmethod referencing new table as added for each statement
  execute function casewright_history_of_paymentmethod_added();
create trigger paymentmethod_history after delete or update on paymentmethod for each row execute function
  casewright_history_of_paymentmethod('returnhash', 'checks', 'nextcheck');
create trigger paymentmethod_reach before insert or update of object, objectid, reachorganizationid on paymentmethod for
  each row execute function casewright_reach_payment();
create trigger paymentmethod_reach_links after update on paymentmethod for each row when (new.reachorganizationid is
  distinct from old.reachorganizationid) execute function casewright_reach_links();
create trigger paymentmethod_reach_payments after update on paymentmethod for each row when (new.reachorganizationid is
  distinct from old.reachorganizationid) execute function casewright_reach_payments('PaymentMethod');
alter table paymentmethod enable row level security;
create policy reach on paymentmethod for all to casewright_reach using ((reachorganizationid =
  (current_setting('casewright.firm'::text))::bigint)) with check ((reachorganizationid =
  (current_setting('casewright.firm'::text))::bigint));
create policy report on paymentmethod for select to casewright_report using ((reachorganizationid =
  (current_setting('casewright.firm'::text))::bigint));
create policy report_all on paymentmethod for select to casewright_report_all using (true);
grant delete, insert, select, update on paymentmethod to casewright_reach;
grant select (paymentmethodid, paymentmethod, status, paymentmethodtype, object, objectid, paymentcustomerid,
  paymentproviderid, kind, brand, lastfour, expirymonth, expiryyear, gatewaymethodid, vaultkey, gatewayreference,
  detail, createddate, createdpersonid, updateddate, updatedpersonid, version, custom, checks, nextcheck) on
  paymentmethod to casewright_report;
grant select (paymentmethodid, paymentmethod, status, paymentmethodtype, object, objectid, paymentcustomerid,
  paymentproviderid, kind, brand, lastfour, expirymonth, expiryyear, gatewaymethodid, vaultkey, gatewayreference,
  detail, createddate, createdpersonid, updateddate, updatedpersonid, version, custom, checks, nextcheck) on
  paymentmethod to casewright_report_all;

-- Table paymentprovider
create table paymentprovider (
  paymentproviderid bigint generated always as identity not null,
  paymentprovider character varying(100) collate casewright_text not null,
  status character varying(100) collate casewright_text,
  paymentprovidertype character varying(100) collate casewright_text,
  description character varying(2000) collate casewright_text,
  sequence integer,
  active boolean,
  apikey character varying(4000) collate "C",
  webhooksecret character varying(1000) collate "C",
  baseurl character varying(2000) collate "C",
  timeoutseconds integer,
  options character varying(10000) collate "C",
  secrets character varying(30000) collate "C",
  createddate timestamp with time zone default now() not null,
  createdpersonid bigint,
  updateddate timestamp with time zone default now() not null,
  updatedpersonid bigint,
  version integer default 1 not null,
  constraint paymentprovider_pkey primary key (paymentproviderid)
);
create unique index paymentprovider_paymentprovider_key on paymentprovider (paymentprovider);
create trigger paymentprovider_added after insert on paymentprovider referencing new table as added for each statement
  execute function casewright_history_of_paymentprovider_added();
create trigger paymentprovider_configuration after insert or delete or update on paymentprovider for each statement
  execute function casewright_configuration();
create trigger paymentprovider_history after delete or update on paymentprovider for each row execute function
  casewright_history_of_paymentprovider('apikey', 'webhooksecret', 'secrets');
alter table paymentprovider enable row level security;

-- Table paymentreconciliation
create table paymentreconciliation (
  paymentreconciliationid bigint generated always as identity not null,
  paymentreconciliation character varying(255) collate casewright_text,
  status character varying(8) collate casewright_text,
  paymentreconciliationtype character varying(100) collate casewright_text,
  paymentproviderid bigint not null,
  fromday date,
  today date,
  completeddate timestamp with time zone,
  paymentcount integer,
  refundcount integer,
  disputecount integer,
  settledcount integer,
  differencecount integer,
  error character varying(1000) collate "C",
  createddate timestamp with time zone default now() not null,
  createdpersonid bigint,
  updateddate timestamp with time zone default now() not null,
  updatedpersonid bigint,
  version integer default 1 not null,
  constraint paymentreconciliation_pkey primary key (paymentreconciliationid),
  constraint paymentreconciliation_check check (today >= fromday),
  constraint paymentreconciliation_paymentproviderid_fkey foreign key (paymentproviderid) references
    paymentprovider(paymentproviderid) on delete cascade
);
create index paymentreconciliation_provider_idx on paymentreconciliation (paymentproviderid, today);
alter table paymentreconciliation enable row level security;
grant select (paymentreconciliationid, paymentreconciliation, status, paymentreconciliationtype, paymentproviderid,
  fromday, today, completeddate, paymentcount, refundcount, disputecount, settledcount, differencecount, error,
  createddate, createdpersonid, updateddate, updatedpersonid, version) on paymentreconciliation to casewright_report;
grant select (paymentreconciliationid, paymentreconciliation, status, paymentreconciliationtype, paymentproviderid,
  fromday, today, completeddate, paymentcount, refundcount, disputecount, settledcount, differencecount, error,
  createddate, createdpersonid, updateddate, updatedpersonid, version) on paymentreconciliation to
  casewright_report_all;

-- Table paymentrefund
create table paymentrefund (
  paymentrefundid bigint generated always as identity not null,
  paymentrefund character varying(255) collate casewright_text,
  status character varying(13) collate casewright_text not null,
  paymentrefundtype character varying(100) collate casewright_text,
  paymentid bigint not null,
  amount numeric(19,4) not null,
  currency character varying(3) collate "C" not null,
  reason character varying(4000) collate casewright_text,
  refundkey character varying(36) collate "C" not null,
  gatewayrefundid character varying(255) collate "C",
  ledgeritemid bigint,
  detail character varying(300) collate "C",
  requesteddate timestamp with time zone,
  settleddate timestamp with time zone,
  nextcheck timestamp with time zone,
  checks integer,
  createddate timestamp with time zone default now() not null,
  createdpersonid bigint,
  updateddate timestamp with time zone default now() not null,
  updatedpersonid bigint,
  version integer default 1 not null,
  reachorganizationid bigint,
  custom jsonb,
  constraint paymentrefund_pkey primary key (paymentrefundid),
  constraint paymentrefund_amount_check check (amount > 0::numeric),
  constraint paymentrefund_custom_check check (jsonb_typeof(custom) = 'object'::text),
  constraint paymentrefund_status_check check (status::text = any (array['Requested'::character varying,
    'Succeeded'::character varying, 'Pending'::character varying, 'Failed'::character varying, 'Unknown'::character
    varying, 'NotCarriedOut'::character varying]::text[])),
  constraint paymentrefund_ledgeritemid_fkey foreign key (ledgeritemid) references ledgeritem(ledgeritemid),
  constraint paymentrefund_paymentid_fkey foreign key (paymentid) references payment(paymentid)
);
create unique index paymentrefund_gatewayrefundid_key on paymentrefund (paymentid, gatewayrefundid);
create index paymentrefund_ledgeritemid_idx on paymentrefund (ledgeritemid);
create index paymentrefund_nextcheck_idx on paymentrefund (nextcheck) where (nextcheck is not null);
create unique index paymentrefund_open_key on paymentrefund (paymentid) where ((status)::text = any
  ((array['Requested'::character varying, 'Unknown'::character varying])::text[]));
create index paymentrefund_reach_idx on paymentrefund (reachorganizationid, createddate);
create unique index paymentrefund_refundkey_key on paymentrefund (refundkey);
create trigger paymentrefund_added after insert on paymentrefund referencing new table as added for each statement
  execute function casewright_history_of_paymentrefund_added();
create trigger paymentrefund_history after delete or update on paymentrefund for each row execute function
  casewright_history_of_paymentrefund();
create trigger paymentrefund_reach before insert or update of paymentid, reachorganizationid on paymentrefund for each
  row execute function casewright_reach_payment();
create trigger paymentrefund_reach_links after update on paymentrefund for each row when (new.reachorganizationid is
  distinct from old.reachorganizationid) execute function casewright_reach_links();
alter table paymentrefund enable row level security;
create policy reach on paymentrefund for all to casewright_reach using ((reachorganizationid =
  (current_setting('casewright.firm'::text))::bigint)) with check ((reachorganizationid =
  (current_setting('casewright.firm'::text))::bigint));
create policy report on paymentrefund for select to casewright_report using ((reachorganizationid =
  (current_setting('casewright.firm'::text))::bigint));
create policy report_all on paymentrefund for select to casewright_report_all using (true);
grant delete, insert, select, update on paymentrefund to casewright_reach;
grant select (paymentrefundid, paymentrefund, status, paymentrefundtype, paymentid, amount, currency, reason, refundkey,
  gatewayrefundid, ledgeritemid, detail, requesteddate, settleddate, nextcheck, checks, createddate, createdpersonid,
  updateddate, updatedpersonid, version, custom) on paymentrefund to casewright_report;
grant select (paymentrefundid, paymentrefund, status, paymentrefundtype, paymentid, amount, currency, reason, refundkey,
  gatewayrefundid, ledgeritemid, detail, requesteddate, settleddate, nextcheck, checks, createddate, createdpersonid,
  updateddate, updatedpersonid, version, custom) on paymentrefund to casewright_report_all;

-- Table paymentsubscription
create table paymentsubscription (
  paymentsubscriptionid bigint generated always as identity not null,
  paymentsubscription character varying(255) collate casewright_text,
  status character varying(9) collate casewright_text not null,
  paymentsubscriptiontype character varying(100) collate casewright_text,
  paymentmethodid bigint not null,
  ledgerid bigint,
  paymentproviderid bigint,
  amount numeric(19,4) not null,
  currency character varying(3) collate "C" not null,
  every character varying(5) collate casewright_text not null,
  subscriptionkey character varying(36) collate "C" not null,
  gatewaysubscriptionid character varying(255) collate "C",
  nextcharge timestamp with time zone,
  requesteddate timestamp with time zone,
  canceleddate timestamp with time zone,
  detail character varying(300) collate "C",
  createddate timestamp with time zone default now() not null,
  createdpersonid bigint,
  updateddate timestamp with time zone default now() not null,
  updatedpersonid bigint,
  version integer default 1 not null,
  reachorganizationid bigint,
  custom jsonb,
  nextcheck timestamp with time zone,
  checks integer,
  constraint paymentsubscription_pkey primary key (paymentsubscriptionid),
  constraint paymentsubscription_amount_check check (amount > 0::numeric),
  constraint paymentsubscription_custom_check check (jsonb_typeof(custom) = 'object'::text),
  constraint paymentsubscription_status_check check (status::text = any (array['Requested'::character varying,
    'Active'::character varying, 'Late'::character varying, 'Canceled'::character varying, 'Unknown'::character
    varying]::text[])),
  constraint paymentsubscription_ledgerid_fkey foreign key (ledgerid) references ledger(ledgerid),
  constraint paymentsubscription_paymentmethodid_fkey foreign key (paymentmethodid) references
    paymentmethod(paymentmethodid),
  constraint paymentsubscription_paymentproviderid_fkey foreign key (paymentproviderid) references
    paymentprovider(paymentproviderid)
);
create unique index paymentsubscription_gatewaysubscriptionid_key on paymentsubscription (paymentproviderid,
  gatewaysubscriptionid);
create index paymentsubscription_ledgerid_idx on paymentsubscription (ledgerid);
create index paymentsubscription_nextcheck_idx on paymentsubscription (nextcheck) where (nextcheck is not null);
create index paymentsubscription_paymentmethodid_idx on paymentsubscription (paymentmethodid);
create index paymentsubscription_reach_idx on paymentsubscription (reachorganizationid, createddate);
create unique index paymentsubscription_subscriptionkey_key on paymentsubscription (subscriptionkey);
create trigger paymentsubscription_added after insert on paymentsubscription referencing new table as added for each
  statement execute function casewright_history_of_paymentsubscription_added();
create trigger paymentsubscription_history after delete or update on paymentsubscription for each row execute function
  casewright_history_of_paymentsubscription('checks', 'nextcheck');
create trigger paymentsubscription_reach before insert or update of ledgerid, paymentmethodid, reachorganizationid on
  paymentsubscription for each row execute function casewright_reach_payment();
create trigger paymentsubscription_reach_links after update on paymentsubscription for each row when
  (new.reachorganizationid is distinct from old.reachorganizationid) execute function casewright_reach_links();
alter table paymentsubscription enable row level security;
create policy reach on paymentsubscription for all to casewright_reach using ((reachorganizationid =
  (current_setting('casewright.firm'::text))::bigint)) with check ((reachorganizationid =
  (current_setting('casewright.firm'::text))::bigint));
create policy report on paymentsubscription for select to casewright_report using ((reachorganizationid =
  (current_setting('casewright.firm'::text))::bigint));
create policy report_all on paymentsubscription for select to casewright_report_all using (true);
grant delete, insert, select, update on paymentsubscription to casewright_reach;
grant select (paymentsubscriptionid, paymentsubscription, status, paymentsubscriptiontype, paymentmethodid, ledgerid,
  paymentproviderid, amount, currency, every, subscriptionkey, gatewaysubscriptionid, nextcharge, requesteddate,
  canceleddate, detail, createddate, createdpersonid, updateddate, updatedpersonid, version, custom, nextcheck, checks)
  on paymentsubscription to casewright_report;
grant select (paymentsubscriptionid, paymentsubscription, status, paymentsubscriptiontype, paymentmethodid, ledgerid,
  paymentproviderid, amount, currency, every, subscriptionkey, gatewaysubscriptionid, nextcharge, requesteddate,
  canceleddate, detail, createddate, createdpersonid, updateddate, updatedpersonid, version, custom, nextcheck, checks)
  on paymentsubscription to casewright_report_all;

-- Table person
create table person (
  personid bigint generated always as identity not null,
  person character varying(100) collate casewright_text,
  status character varying(100) collate casewright_text,
  persontype character varying(100) collate casewright_text,
  firstname character varying(100) collate casewright_text,
  lastname character varying(100) collate casewright_text,
  email character varying(255) collate casewright_text,
  password character varying(255) collate "C",
  organizationid bigint,
  roles character varying(1000) collate casewright_text,
  lockeduntil timestamp with time zone,
  createddate timestamp with time zone default now() not null,
  createdpersonid bigint,
  updateddate timestamp with time zone default now() not null,
  updatedpersonid bigint,
  version integer default 1 not null,
  reachorganizationid bigint generated always as (organizationid) stored,
  custom jsonb,
  initialpassworddate timestamp with time zone,
  constraint person_pkey primary key (personid),
  constraint person_custom_check check (jsonb_typeof(custom) = 'object'::text),
  constraint person_organizationid_fkey foreign key (organizationid) references organization(organizationid)
);
create index person_organizationid_idx on person (organizationid);
create unique index person_person_key on person (person);
create index person_reach_idx on person (reachorganizationid, createddate);
create trigger person_added after insert on person referencing new table as added for each statement execute function
  casewright_history_of_person_added();
create trigger person_history after delete or update on person for each row execute function
  casewright_history_of_person('password');
create trigger person_reach_changed after update on person for each row when (new.organizationid is distinct from
  old.organizationid) execute function casewright_reach_person_changed();
create trigger person_reach_links after update on person for each row when (new.reachorganizationid is distinct from
  old.reachorganizationid) execute function casewright_reach_links();
create trigger person_reach_spread after update on person for each row when (new.organizationid is distinct from
  old.organizationid) execute function casewright_reach_spread('Person');
create trigger person_reach_spread_licenses after update on person for each row when (new.organizationid is distinct
  from old.organizationid) execute function casewright_reach_licenses('Person');
alter table person enable row level security;
create policy reach on person for all to casewright_reach using ((reachorganizationid =
  (current_setting('casewright.firm'::text))::bigint)) with check ((reachorganizationid =
  (current_setting('casewright.firm'::text))::bigint));
create policy report on person for select to casewright_report using ((reachorganizationid =
  (current_setting('casewright.firm'::text))::bigint));
create policy report_all on person for select to casewright_report_all using (true);
grant delete, insert, select, update on person to casewright_reach;
grant select (personid, person, status, persontype, firstname, lastname, email, organizationid, roles, lockeduntil,
  createddate, createdpersonid, updateddate, updatedpersonid, version, custom, initialpassworddate) on person to
  casewright_report;
grant select (personid, person, status, persontype, firstname, lastname, email, organizationid, roles, lockeduntil,
  createddate, createdpersonid, updateddate, updatedpersonid, version, custom, initialpassworddate) on person to
  casewright_report_all;

-- Table preference
create table preference (
  preferenceid bigint generated always as identity not null,
  preference character varying(255) collate casewright_text,
  status character varying(100) collate casewright_text,
  preferencetype character varying(100) collate casewright_text,
  personid bigint not null,
  theme character varying(8) collate casewright_text,
  density character varying(11) collate casewright_text,
  sidebar character varying(9) collate casewright_text,
  shortcuts boolean,
  timezone character varying(60) collate "C",
  startpage character varying(5) collate casewright_text,
  mutedkinds character varying(500) collate "C",
  createddate timestamp with time zone default now() not null,
  createdpersonid bigint,
  updateddate timestamp with time zone default now() not null,
  updatedpersonid bigint,
  version integer default 1 not null,
  pinnedviews character varying(1000) collate "C",
  constraint preference_pkey primary key (preferenceid),
  constraint preference_personid_key unique (personid),
  constraint preference_personid_fkey foreign key (personid) references person(personid)
);
create trigger preference_added after insert on preference referencing new table as added for each statement execute
  function casewright_history_of_preference_added();
create trigger preference_history after delete or update on preference for each row execute function
  casewright_history_of_preference();
alter table preference enable row level security;

-- Table process
create table process (
  processid bigint generated always as identity not null,
  process character varying(50) collate casewright_text,
  status character varying(100) collate casewright_text,
  processtype character varying(100) collate casewright_text,
  recordclass character varying(60) collate "C",
  loanid bigint,
  organizationid bigint,
  dateopened date,
  dateclosed date,
  closedreason character varying(255) collate casewright_text,
  loanassigned boolean,
  createddate timestamp with time zone default now() not null,
  createdpersonid bigint,
  updateddate timestamp with time zone default now() not null,
  updatedpersonid bigint,
  version integer default 1 not null,
  reachorganizationid bigint generated always as (organizationid) stored,
  custom jsonb,
  assignedpersonid bigint,
  constraint process_pkey primary key (processid),
  constraint process_custom_check check (jsonb_typeof(custom) = 'object'::text),
  constraint process_loanassigned_check check (loanassigned is not null),
  constraint process_processtype_check check (recordclass::text is distinct from 'Bankruptcy'::text or processtype is
    null or (processtype::text = any (array['MFR'::character varying, 'POC'::character varying]::text[]))),
  constraint process_assignedpersonid_fkey foreign key (assignedpersonid) references person(personid),
  constraint process_loanid_fkey foreign key (loanid) references loan(loanid),
  constraint process_organizationid_fkey foreign key (organizationid) references organization(organizationid)
);
create index process_assignedpersonid_idx on process (assignedpersonid) where (assignedpersonid is not null);
create index process_label_idx on process (casewright_fold((process)::text) collate "C");
create index process_loanassigned_idx on process (processid) where (not loanassigned);
create index process_loanid_idx on process (loanid);
create index process_organizationid_idx on process (organizationid);
create index process_process_idx on process (process);
create index process_reach_dateopened_idx on process (reachorganizationid, dateopened);
create index process_reach_newest_idx on process (reachorganizationid, dateopened desc nulls last);
create index process_reach_status_idx on process (reachorganizationid, status, dateopened);
create index process_reach_status_newest_idx on process (reachorganizationid, status, dateopened desc nulls last);
create index process_status_dateopened_idx on process (status, dateopened);
create index process_status_newest_idx on process (status, dateopened desc nulls last);
create index process_words_idx on process using gin (casewright_words(coalesce((process)::text, ''::text)));
create trigger process_added after insert on process referencing new table as added for each statement execute function
  casewright_history_of_process_added();
create trigger process_case_changed after update on process for each row when (new.process::text is distinct from
  old.process::text or new.status::text is distinct from old.status::text or new.processtype::text is distinct from
  old.processtype::text or new.loanid is distinct from old.loanid or new.organizationid is distinct from
  old.organizationid or new.assignedpersonid is distinct from old.assignedpersonid or new.dateopened is distinct from
  old.dateopened or new.dateclosed is distinct from old.dateclosed) execute function casewright_case_change();
create trigger process_case_created after insert or delete on process for each row execute function
  casewright_case_change();
create trigger process_history after delete or update on process for each row execute function
  casewright_history_of_process();
create trigger process_reach_changed after insert or delete or update of organizationid, loanid, loanassigned on process
  for each row execute function casewright_reach_process_changed();
create trigger process_reach_changed_licenses after update on process for each row when (new.organizationid is distinct
  from old.organizationid) execute function casewright_reach_licenses();
create trigger process_reach_links after update on process for each row when (new.reachorganizationid is distinct from
  old.reachorganizationid) execute function casewright_reach_links();
alter table process enable row level security;
create policy reach on process for all to casewright_reach using ((reachorganizationid =
  (current_setting('casewright.firm'::text))::bigint)) with check ((reachorganizationid =
  (current_setting('casewright.firm'::text))::bigint));
create policy report on process for select to casewright_report using ((reachorganizationid =
  (current_setting('casewright.firm'::text))::bigint));
create policy report_all on process for select to casewright_report_all using (true);
grant delete, insert, select, update on process to casewright_reach;
grant select (processid, process, status, processtype, recordclass, loanid, organizationid, dateopened, dateclosed,
  closedreason, loanassigned, createddate, createdpersonid, updateddate, updatedpersonid, version, custom,
  assignedpersonid) on process to casewright_report;
grant select (processid, process, status, processtype, recordclass, loanid, organizationid, dateopened, dateclosed,
  closedreason, loanassigned, createddate, createdpersonid, updateddate, updatedpersonid, version, custom,
  assignedpersonid) on process to casewright_report_all;

-- Table professionallicense
create table professionallicense (
  professionallicenseid bigint generated always as identity not null,
  professionallicense character varying(255) collate casewright_text,
  status character varying(100) collate casewright_text,
  professionallicensetype character varying(100) collate casewright_text,
  object character varying(60) collate "C",
  objectid bigint,
  effective date,
  expires date,
  verificationtype character varying(100) collate casewright_text,
  verifieddate timestamp with time zone,
  verifiedby character varying(255) collate casewright_text,
  attachmentid bigint,
  geographyid bigint,
  createddate timestamp with time zone default now() not null,
  createdpersonid bigint,
  updateddate timestamp with time zone default now() not null,
  updatedpersonid bigint,
  version integer default 1 not null,
  custom jsonb,
  reachorganizationid bigint[] default '{}'::bigint[] not null,
  constraint professionallicense_pkey primary key (professionallicenseid),
  constraint professionallicense_custom_check check (jsonb_typeof(custom) = 'object'::text),
  constraint professionallicense_attachmentid_fkey foreign key (attachmentid) references attachment(attachmentid),
  constraint professionallicense_geographyid_fkey foreign key (geographyid) references geography(geographyid)
);
create index professionallicense_attachmentid_idx on professionallicense (attachmentid);
create index professionallicense_geographyid_idx on professionallicense (geographyid);
create index professionallicense_object_idx on professionallicense (objectid, object);
create index professionallicense_reach_idx on professionallicense using gin (reachorganizationid);
create trigger professionallicense_added after insert on professionallicense referencing new table as added for each
  statement execute function casewright_history_of_professionallicense_added();
create trigger professionallicense_history after delete or update on professionallicense for each row execute function
  casewright_history_of_professionallicense();
create trigger professionallicense_reach before insert or update of object, objectid, reachorganizationid on
  professionallicense for each row execute function casewright_reach_professionallicense();
create trigger professionallicense_reach_links after update on professionallicense for each row when
  (new.reachorganizationid is distinct from old.reachorganizationid) execute function casewright_reach_links();
alter table professionallicense enable row level security;
create policy reach on professionallicense for all to casewright_reach using ((reachorganizationid @>
  ARRAY[(current_setting('casewright.firm'::text))::bigint])) with check ((reachorganizationid @>
  ARRAY[(current_setting('casewright.firm'::text))::bigint]));
create policy report on professionallicense for select to casewright_report using ((reachorganizationid @>
  ARRAY[(current_setting('casewright.firm'::text))::bigint]));
create policy report_all on professionallicense for select to casewright_report_all using (true);
grant delete, insert, select, update on professionallicense to casewright_reach;
grant select (professionallicenseid, professionallicense, status, professionallicensetype, object, objectid, effective,
  expires, verificationtype, verifieddate, verifiedby, attachmentid, geographyid, createddate, createdpersonid,
  updateddate, updatedpersonid, version, custom) on professionallicense to casewright_report;
grant select (professionallicenseid, professionallicense, status, professionallicensetype, object, objectid, effective,
  expires, verificationtype, verifieddate, verifiedby, attachmentid, geographyid, createddate, createdpersonid,
  updateddate, updatedpersonid, version, custom) on professionallicense to casewright_report_all;

-- Table property
create table property (
  propertyid bigint generated always as identity not null,
  property character varying(255) collate casewright_text,
  status character varying(100) collate casewright_text,
  propertytype character varying(100) collate casewright_text,
  address character varying(100) collate casewright_text,
  city character varying(50) collate casewright_text,
  state character varying(50) collate casewright_text,
  postalcode character varying(10) collate casewright_text,
  county character varying(100) collate casewright_text,
  createddate timestamp with time zone default now() not null,
  createdpersonid bigint,
  updateddate timestamp with time zone default now() not null,
  updatedpersonid bigint,
  version integer default 1 not null,
  reachorganizationid bigint[] default '{}'::bigint[] not null,
  custom jsonb,
  statederived boolean,
  constraint property_pkey primary key (propertyid),
  constraint property_custom_check check (jsonb_typeof(custom) = 'object'::text)
);
create index property_label_idx on property (casewright_fold((property)::text) collate "C");
create index property_reach_idx on property using gin (reachorganizationid);
create index property_words_idx on property using gin (casewright_words(coalesce((property)::text, ''::text)));
create trigger property_added after insert on property referencing new table as added for each statement execute
  function casewright_history_of_property_added();
create trigger property_case_changed after update on property for each row when (new.address::text is distinct from
  old.address::text or new.city::text is distinct from old.city::text or new.state::text is distinct from
  old.state::text) execute function casewright_case_change_of_loan();
create trigger property_history after delete or update on property for each row execute function
  casewright_history_of_property();
create trigger property_reach before insert on property for each row execute function casewright_reach_new();
create trigger property_reach_links after update on property for each row when (new.reachorganizationid is distinct from
  old.reachorganizationid) execute function casewright_reach_links();
create trigger property_reach_payments after update on property for each row when (new.reachorganizationid is distinct
  from old.reachorganizationid) execute function casewright_reach_payments('Property');
create trigger property_reach_spread after update on property for each row when (new.reachorganizationid is distinct
  from old.reachorganizationid) execute function casewright_reach_spread('Property');
create trigger property_reach_spread_licenses after update on property for each row when (new.reachorganizationid is
  distinct from old.reachorganizationid) execute function casewright_reach_licenses('Property');
alter table property enable row level security;
create policy reach on property for all to casewright_reach using ((reachorganizationid @>
  ARRAY[(current_setting('casewright.firm'::text))::bigint])) with check ((reachorganizationid @>
  ARRAY[(current_setting('casewright.firm'::text))::bigint]));
create policy report on property for select to casewright_report using ((reachorganizationid @>
  ARRAY[(current_setting('casewright.firm'::text))::bigint]));
create policy report_all on property for select to casewright_report_all using (true);
grant delete, insert, select, update on property to casewright_reach;
grant select (propertyid, property, status, propertytype, address, city, state, postalcode, county, createddate,
  createdpersonid, updateddate, updatedpersonid, version, custom, statederived) on property to casewright_report;
grant select (propertyid, property, status, propertytype, address, city, state, postalcode, county, createddate,
  createdpersonid, updateddate, updatedpersonid, version, custom, statederived) on property to casewright_report_all;

-- Table publicaddresscheck
create table publicaddresscheck (
  singleton boolean default true not null,
  address character varying(500) collate "C" not null,
  nonce character varying(64) collate "C" not null,
  answer character varying(64) collate "C" not null,
  outcome character varying(20) collate "C",
  found character varying(300) collate "C",
  expires timestamp with time zone,
  checkeddate timestamp with time zone,
  since timestamp with time zone,
  constraint publicaddresscheck_pkey primary key (singleton),
  constraint publicaddresscheck_singleton_check check (singleton)
);
alter table publicaddresscheck enable row level security;

-- Table publicrecord
create table publicrecord (
  publicrecordid bigint generated always as identity not null,
  publicrecord character varying(255) collate casewright_text,
  status character varying(100) collate casewright_text,
  publicrecordtype character varying(100) collate casewright_text,
  loanid bigint,
  filingdate date,
  recordingdate date,
  createddate timestamp with time zone default now() not null,
  createdpersonid bigint,
  updateddate timestamp with time zone default now() not null,
  updatedpersonid bigint,
  version integer default 1 not null,
  reachorganizationid bigint[] default '{}'::bigint[] not null,
  custom jsonb,
  constraint publicrecord_pkey primary key (publicrecordid),
  constraint publicrecord_custom_check check (jsonb_typeof(custom) = 'object'::text),
  constraint publicrecord_loanid_fkey foreign key (loanid) references loan(loanid)
);
create index publicrecord_loanid_idx on publicrecord (loanid);
create index publicrecord_reach_idx on publicrecord using gin (reachorganizationid);
create trigger publicrecord_added after insert on publicrecord referencing new table as added for each statement execute
  function casewright_history_of_publicrecord_added();
create trigger publicrecord_history after delete or update on publicrecord for each row execute function
  casewright_history_of_publicrecord();
create trigger publicrecord_reach before insert or update of loanid, reachorganizationid on publicrecord for each row
  execute function casewright_reach_publicrecord();
create trigger publicrecord_reach_links after update on publicrecord for each row when (new.reachorganizationid is
  distinct from old.reachorganizationid) execute function casewright_reach_links();
alter table publicrecord enable row level security;
create policy reach on publicrecord for all to casewright_reach using ((reachorganizationid @>
  ARRAY[(current_setting('casewright.firm'::text))::bigint])) with check ((reachorganizationid @>
  ARRAY[(current_setting('casewright.firm'::text))::bigint]));
create policy report on publicrecord for select to casewright_report using ((reachorganizationid @>
  ARRAY[(current_setting('casewright.firm'::text))::bigint]));
create policy report_all on publicrecord for select to casewright_report_all using (true);
grant delete, insert, select, update on publicrecord to casewright_reach;
grant select (publicrecordid, publicrecord, status, publicrecordtype, loanid, filingdate, recordingdate, createddate,
  createdpersonid, updateddate, updatedpersonid, version, custom) on publicrecord to casewright_report;
grant select (publicrecordid, publicrecord, status, publicrecordtype, loanid, filingdate, recordingdate, createddate,
  createdpersonid, updateddate, updatedpersonid, version, custom) on publicrecord to casewright_report_all;

-- Table queuecontrol
create table queuecontrol (
  queuename character varying(100) not null,
  stopped boolean default false not null,
  perminute integer default 0 not null,
  allowance double precision default 1 not null,
  refilled timestamp with time zone default now() not null,
  changeddate timestamp with time zone default now() not null,
  changedpersonid bigint,
  reason character varying(300),
  constraint queuecontrol_pkey primary key (queuename),
  constraint queuecontrol_allowance_check check (allowance >= 0::double precision),
  constraint queuecontrol_perminute_check check (perminute >= 0 and perminute <= 60000),
  constraint queuecontrol_changedpersonid_fkey foreign key (changedpersonid) references person(personid) on delete set
    null
);

-- Table queuepause
create table queuepause (
  queuename character varying(100) not null,
  operation character varying(200) collate "C" not null,
  reason character varying(300),
  changeddate timestamp with time zone default now() not null,
  changedpersonid bigint,
  constraint queuepause_pkey primary key (queuename, operation),
  constraint queuepause_changedpersonid_fkey foreign key (changedpersonid) references person(personid) on delete set
    null
);
create index queuepause_changedpersonid_idx on queuepause (changedpersonid);

-- Table queueretry
create table queueretry (
  queueretryid bigint generated always as identity not null,
  queueretry character varying(255) collate casewright_text,
  status character varying(100) collate casewright_text,
  queueretrytype character varying(100) collate casewright_text,
  operation character varying(200) collate "C",
  errorcode character varying(50) collate "C",
  cause character varying(32) collate "C",
  total integer,
  requeued integer,
  succeeded integer,
  failedagain integer,
  failing integer,
  stopreason character varying(400) collate casewright_text,
  createddate timestamp with time zone default now() not null,
  createdpersonid bigint,
  updateddate timestamp with time zone default now() not null,
  updatedpersonid bigint,
  version integer default 1 not null,
  constraint queueretry_pkey primary key (queueretryid),
  constraint queueretry_check check (total >= 0 and requeued >= 0 and succeeded >= 0 and failedagain >= 0 and failing >=
    0)
);
create index queueretry_started_idx on queueretry (operation) where ((status)::text = 'Started'::text);
create trigger queueretry_added after insert on queueretry referencing new table as added for each statement execute
  function casewright_history_of_queueretry_added();
create trigger queueretry_history after delete or update on queueretry for each row execute function
  casewright_history_of_queueretry();
alter table queueretry enable row level security;

-- Table queueretrycall
create table queueretrycall (
  messageid uuid not null,
  queueretryid bigint not null,
  constraint queueretrycall_pkey primary key (messageid),
  constraint queueretrycall_queueretryid_fkey foreign key (queueretryid) references queueretry(queueretryid) on delete
    cascade
);
create index queueretrycall_queueretryid_idx on queueretrycall (queueretryid);

-- Table queuesample
create table queuesample (
  sampled timestamp with time zone default date_trunc('minute'::text, now()) not null,
  queuename character varying(100) not null,
  waiting integer not null,
  oldestseconds integer not null,
  dead integer not null,
  constraint queuesample_pkey primary key (sampled, queuename)
);

-- Table recordadded
create table recordadded (
  xid xid8 default pg_current_xact_id() not null,
  at timestamp with time zone default clock_timestamp() not null,
  tablename text collate "C" not null,
  ids bigint[] storage external not null
);
create index recordadded_xid_idx on recordadded (xid);

-- Table recorddraft
create table recorddraft (
  recorddraftid bigint generated always as identity not null,
  object character varying(60) collate "C" not null,
  objectid bigint not null,
  baseversion bigint not null,
  content bytea not null,
  version integer default 1 not null,
  createddate timestamp with time zone not null,
  createdpersonid bigint,
  updateddate timestamp with time zone not null,
  updatedpersonid bigint,
  closeddate timestamp with time zone,
  closedpersonid bigint,
  outcome character varying(10) collate "C",
  constraint recorddraft_pkey primary key (recorddraftid),
  constraint recorddraft_outcome_check check (closeddate is null and outcome is null or closeddate is not null and
    (outcome::text = any (array['Published'::character varying, 'Discarded'::character varying]::text[])))
);
create unique index recorddraft_open_key on recorddraft (object, objectid) where (closeddate is null);
alter table recorddraft enable row level security;

-- Table registration
create table registration (
  registrationid bigint generated always as identity not null,
  tokenhash bytea not null,
  kind character varying(12) not null,
  personid bigint not null,
  organizationid bigint not null,
  passwordhash character varying(255) collate "C" not null,
  firstname character varying(100) collate casewright_text,
  lastname character varying(100) collate casewright_text,
  process character varying(100) collate casewright_text,
  expires timestamp with time zone not null,
  createddate timestamp with time zone not null,
  constraint registration_pkey primary key (registrationid),
  constraint registration_kind_check check (kind::text = any (array['Organization'::character varying, 'User'::character
    varying]::text[])),
  constraint registration_organizationid_fkey foreign key (organizationid) references organization(organizationid) on
    delete cascade,
  constraint registration_personid_fkey foreign key (personid) references person(personid) on delete cascade
);
create index registration_expires_idx on registration (expires);
create index registration_organizationid_idx on registration (organizationid);
create index registration_personid_idx on registration (personid);
create unique index registration_tokenhash_idx on registration (tokenhash);

-- Table role
create table role (
  roleid bigint generated always as identity not null,
  role character varying(100) collate casewright_text,
  status character varying(100) collate casewright_text,
  roletype character varying(100) collate casewright_text,
  description character varying(1000) collate casewright_text,
  permissions character varying(20000) collate casewright_text,
  universalaccess boolean,
  createddate timestamp with time zone default now() not null,
  createdpersonid bigint,
  updateddate timestamp with time zone default now() not null,
  updatedpersonid bigint,
  version integer default 1 not null,
  constraint role_pkey primary key (roleid)
);
create unique index role_role_key on role (role);
create trigger role_added after insert on role referencing new table as added for each statement execute function
  casewright_history_of_role_added();
create trigger role_configuration after insert or delete or update on role for each statement execute function
  casewright_configuration();
create trigger role_history after delete or update on role for each row execute function casewright_history_of_role();
alter table role enable row level security;

-- Table ruletrace
create table ruletrace (
  ruletraceid bigint generated always as identity not null,
  recordtype character varying(60) collate "C" not null,
  recordid bigint not null,
  createddate timestamp with time zone not null,
  createdpersonid bigint,
  callid character varying(36) collate "C",
  source character varying(20) collate "C" not null,
  matrixid bigint not null,
  matrixversionid bigint,
  matrix character varying(100) collate casewright_text,
  rownumber integer not null,
  steps jsonb not null,
  inputs jsonb not null,
  outputs jsonb not null,
  recordversion integer,
  constraint ruletrace_pkey primary key (ruletraceid),
  constraint ruletrace_source_check check (source::text = any (array['UpdateFromRule'::character varying,
    'Save'::character varying, 'Automatic'::character varying]::text[]))
);
create index ruletrace_createddate_idx on ruletrace using brin (createddate);
create index ruletrace_record_idx on ruletrace (recordtype, recordid, ruletraceid);
alter table ruletrace enable row level security;

-- Table schedule
create table schedule (
  scheduleid bigint generated always as identity not null,
  schedule character varying(100) collate casewright_text,
  status character varying(100) collate casewright_text,
  scheduletype character varying(100) collate casewright_text,
  schedulename character varying(200) collate casewright_text,
  intervalminutes integer,
  createddate timestamp with time zone default now() not null,
  createdpersonid bigint,
  updateddate timestamp with time zone default now() not null,
  updatedpersonid bigint,
  version integer default 1 not null,
  constraint schedule_pkey primary key (scheduleid),
  constraint schedule_intervalminutes_check check (intervalminutes >= 1 and intervalminutes <= 525600),
  constraint schedule_times_check check (num_nonnulls(schedulename, intervalminutes) = 1)
);
create unique index schedule_schedule_key on schedule (schedule);
create trigger schedule_added after insert on schedule referencing new table as added for each statement execute
  function casewright_history_of_schedule_added();
create trigger schedule_configuration after insert or delete or update on schedule for each statement execute function
  casewright_configuration();
create trigger schedule_history after delete or update on schedule for each row execute function
  casewright_history_of_schedule();
alter table schedule enable row level security;
create policy reach on schedule for select to casewright_reach, casewright_report, casewright_report_all using (true);
grant select on schedule to casewright_reach;
grant select (scheduleid, schedule, status, scheduletype, schedulename, intervalminutes, createddate, createdpersonid,
  updateddate, updatedpersonid, version) on schedule to casewright_report;
grant select (scheduleid, schedule, status, scheduletype, schedulename, intervalminutes, createddate, createdpersonid,
  updateddate, updatedpersonid, version) on schedule to casewright_report_all;

-- Table score
create table score (
  scoreid bigint generated always as identity not null,
  score character varying(255) collate casewright_text,
  status character varying(100) collate casewright_text,
  scoretype character varying(100) collate casewright_text,
  object character varying(60) collate "C",
  objectid bigint,
  scoretemplateid bigint,
  scoremoney numeric(19,4),
  scoreint integer,
  scorefloat numeric,
  scoreboolean boolean,
  scorechar character varying(4000) collate casewright_text,
  scoredate date,
  confidence numeric,
  renderid bigint,
  createddate timestamp with time zone default now() not null,
  createdpersonid bigint,
  updateddate timestamp with time zone default now() not null,
  updatedpersonid bigint,
  version integer default 1 not null,
  reachorganizationid bigint,
  custom jsonb,
  constraint score_pkey primary key (scoreid),
  constraint score_confidence_check check (confidence >= 0::numeric and confidence <= 1::numeric),
  constraint score_custom_check check (jsonb_typeof(custom) = 'object'::text),
  constraint score_renderid_fkey foreign key (renderid) references attachment(attachmentid),
  constraint score_scoretemplateid_fkey foreign key (scoretemplateid) references scoretemplate(scoretemplateid)
);
create index score_object_idx on score (objectid, object);
create index score_reach_idx on score (reachorganizationid, createddate);
create index score_renderid_idx on score (renderid);
create index score_scoretemplateid_idx on score (scoretemplateid);
create trigger score_added after insert on score referencing new table as added for each statement execute function
  casewright_history_of_score_added();
create trigger score_history after delete or update on score for each row execute function
  casewright_history_of_score();
create trigger score_reach before insert or update of object, objectid, scoretemplateid, reachorganizationid on score
  for each row execute function casewright_reach_score();
create trigger score_reach_links after update on score for each row when (new.reachorganizationid is distinct from
  old.reachorganizationid) execute function casewright_reach_links();
create trigger score_reach_spread after update on score for each row when (new.reachorganizationid is distinct from
  old.reachorganizationid) execute function casewright_reach_spread('Score');
alter table score enable row level security;
create policy reach on score for all to casewright_reach using ((reachorganizationid =
  (current_setting('casewright.firm'::text))::bigint)) with check ((reachorganizationid =
  (current_setting('casewright.firm'::text))::bigint));
create policy report on score for select to casewright_report using ((reachorganizationid =
  (current_setting('casewright.firm'::text))::bigint));
create policy report_all on score for select to casewright_report_all using (true);
grant delete, insert, select, update on score to casewright_reach;
grant select (scoreid, score, status, scoretype, object, objectid, scoretemplateid, scoremoney, scoreint, scorefloat,
  scoreboolean, scorechar, scoredate, confidence, renderid, createddate, createdpersonid, updateddate, updatedpersonid,
  version, custom) on score to casewright_report;
grant select (scoreid, score, status, scoretype, object, objectid, scoretemplateid, scoremoney, scoreint, scorefloat,
  scoreboolean, scorechar, scoredate, confidence, renderid, createddate, createdpersonid, updateddate, updatedpersonid,
  version, custom) on score to casewright_report_all;

-- Table scoreitem
create table scoreitem (
  scoreitemid bigint generated always as identity not null,
  scoreitem character varying(255) collate casewright_text,
  status character varying(100) collate casewright_text,
  scoreitemtype character varying(100) collate casewright_text,
  scoreid bigint not null,
  scoreitemtemplateid bigint,
  scoremoney numeric(19,4),
  scoreint integer,
  scorefloat numeric,
  scoreboolean boolean,
  scorechar character varying(4000) collate casewright_text,
  scoredate date,
  scoresealed text collate "C",
  confidence numeric,
  childscoreid bigint,
  createddate timestamp with time zone default now() not null,
  createdpersonid bigint,
  updateddate timestamp with time zone default now() not null,
  updatedpersonid bigint,
  version integer default 1 not null,
  reachorganizationid bigint,
  custom jsonb,
  constraint scoreitem_pkey primary key (scoreitemid),
  constraint scoreitem_confidence_check check (confidence >= 0::numeric and confidence <= 1::numeric),
  constraint scoreitem_custom_check check (jsonb_typeof(custom) = 'object'::text),
  constraint scoreitem_childscoreid_fkey foreign key (childscoreid) references score(scoreid),
  constraint scoreitem_scoreid_fkey foreign key (scoreid) references score(scoreid),
  constraint scoreitem_scoreitemtemplateid_fkey foreign key (scoreitemtemplateid) references
    scoreitemtemplate(scoreitemtemplateid)
);
create index scoreitem_childscoreid_idx on scoreitem (childscoreid);
create index scoreitem_reach_idx on scoreitem (reachorganizationid, createddate);
create index scoreitem_scoreid_idx on scoreitem (scoreid);
create index scoreitem_scoreitemtemplateid_idx on scoreitem (scoreitemtemplateid);
create unique index scoreitem_scoreitemtemplateid_key on scoreitem (scoreid, scoreitemtemplateid);
create trigger scoreitem_added after insert on scoreitem referencing new table as added for each statement execute
  function casewright_history_of_scoreitem_added();
create trigger scoreitem_history after delete or update on scoreitem for each row execute function
  casewright_history_of_scoreitem('scoresealed');
create trigger scoreitem_nested before insert or update of scoreid, childscoreid on scoreitem for each row when
  (new.childscoreid is not null) execute function casewright_scoreitem_nested();
create trigger scoreitem_reach before insert or update of scoreid, reachorganizationid on scoreitem for each row execute
  function casewright_reach_scoreitem();
create trigger scoreitem_reach_links after update on scoreitem for each row when (new.reachorganizationid is distinct
  from old.reachorganizationid) execute function casewright_reach_links();
create trigger scoreitem_sealed before insert or update of scoreitemtemplateid, scoremoney, scoreint, scorefloat,
  scoreboolean, scorechar, scoredate on scoreitem for each row when (new.scoreitemtemplateid is not null) execute
  function casewright_scoreitem_sealed();
alter table scoreitem enable row level security;
create policy reach on scoreitem for all to casewright_reach using ((reachorganizationid =
  (current_setting('casewright.firm'::text))::bigint)) with check ((reachorganizationid =
  (current_setting('casewright.firm'::text))::bigint));
create policy report on scoreitem for select to casewright_report using ((reachorganizationid =
  (current_setting('casewright.firm'::text))::bigint));
create policy report_all on scoreitem for select to casewright_report_all using (true);
grant delete, insert, select, update on scoreitem to casewright_reach;
grant select (scoreitemid, scoreitem, status, scoreitemtype, scoreid, scoreitemtemplateid, scoremoney, scoreint,
  scorefloat, scoreboolean, scorechar, scoredate, confidence, childscoreid, createddate, createdpersonid, updateddate,
  updatedpersonid, version, custom) on scoreitem to casewright_report;
grant select (scoreitemid, scoreitem, status, scoreitemtype, scoreid, scoreitemtemplateid, scoremoney, scoreint,
  scorefloat, scoreboolean, scorechar, scoredate, confidence, childscoreid, createddate, createdpersonid, updateddate,
  updatedpersonid, version, custom) on scoreitem to casewright_report_all;

-- Table scoreitemtemplate
create table scoreitemtemplate (
  scoreitemtemplateid bigint generated always as identity not null,
  scoreitemtemplate character varying(100) collate casewright_text,
  status character varying(100) collate casewright_text,
  scoreitemtemplatetype character varying(100) collate casewright_text,
  scoretemplateid bigint not null,
  safename character varying(101) collate casewright_text,
  valuetype character varying(10) collate casewright_text,
  valuetypecode integer,
  prompt character varying(10000) collate casewright_text,
  enumeration character varying(10000) collate casewright_text,
  weight numeric,
  sequence integer,
  label character varying(255) collate casewright_text,
  mask character varying(100) collate "C",
  unmaskpermission character varying(100) collate casewright_text,
  xpath character varying(2000) collate "C",
  createddate timestamp with time zone default now() not null,
  createdpersonid bigint,
  updateddate timestamp with time zone default now() not null,
  updatedpersonid bigint,
  version integer default 1 not null,
  constraint scoreitemtemplate_pkey primary key (scoreitemtemplateid),
  constraint scoreitemtemplate_weight_check check (weight >= 0::numeric),
  constraint scoreitemtemplate_scoretemplateid_fkey foreign key (scoretemplateid) references
    scoretemplate(scoretemplateid)
);
create unique index scoreitemtemplate_safename_key on scoreitemtemplate (scoretemplateid, safename);
create unique index scoreitemtemplate_scoreitemtemplate_key on scoreitemtemplate (scoretemplateid, scoreitemtemplate);
create index scoreitemtemplate_scoretemplateid_idx on scoreitemtemplate (scoretemplateid);
create trigger scoreitemtemplate_added after insert on scoreitemtemplate referencing new table as added for each
  statement execute function casewright_history_of_scoreitemtemplate_added();
create trigger scoreitemtemplate_configuration after insert or delete or update on scoreitemtemplate for each statement
  execute function casewright_configuration();
create trigger scoreitemtemplate_history after delete or update on scoreitemtemplate for each row execute function
  casewright_history_of_scoreitemtemplate();
create trigger scoreitemtemplate_values before update on scoreitemtemplate for each row when (new.mask::text is distinct
  from old.mask::text or new.valuetypecode is distinct from old.valuetypecode) execute function
  casewright_scoreitemtemplate_values();
alter table scoreitemtemplate enable row level security;
create policy reach on scoreitemtemplate for select to casewright_reach, casewright_report, casewright_report_all using
  (true);
grant select on scoreitemtemplate to casewright_reach;
grant select (scoreitemtemplateid, scoreitemtemplate, status, scoreitemtemplatetype, scoretemplateid, safename,
  valuetype, valuetypecode, prompt, enumeration, weight, sequence, label, mask, unmaskpermission, xpath, createddate,
  createdpersonid, updateddate, updatedpersonid, version) on scoreitemtemplate to casewright_report;
grant select (scoreitemtemplateid, scoreitemtemplate, status, scoreitemtemplatetype, scoretemplateid, safename,
  valuetype, valuetypecode, prompt, enumeration, weight, sequence, label, mask, unmaskpermission, xpath, createddate,
  createdpersonid, updateddate, updatedpersonid, version) on scoreitemtemplate to casewright_report_all;

-- Table scoretemplate
create table scoretemplate (
  scoretemplateid bigint generated always as identity not null,
  scoretemplate character varying(100) collate casewright_text,
  status character varying(100) collate casewright_text,
  scoretemplatetype character varying(100) collate casewright_text,
  appliesto character varying(60) collate casewright_text,
  repeatable character varying(9) collate casewright_text,
  extranetenabled character varying(6) collate casewright_text,
  description character varying(10000) collate casewright_text,
  scoreengine character varying(100) collate casewright_text,
  method character varying(2000) collate "C",
  valuetype character varying(10) collate casewright_text,
  valuetypecode integer,
  engineparameters character varying(100000) collate "C",
  renderid bigint,
  createddate timestamp with time zone default now() not null,
  createdpersonid bigint,
  updateddate timestamp with time zone default now() not null,
  updatedpersonid bigint,
  version integer default 1 not null,
  constraint scoretemplate_pkey primary key (scoretemplateid),
  constraint scoretemplate_renderid_fkey foreign key (renderid) references attachment(attachmentid)
);
create index scoretemplate_renderid_idx on scoretemplate (renderid);
create unique index scoretemplate_scoretemplate_key on scoretemplate (scoretemplate, coalesce(appliesto, ''::character
  varying));
create trigger scoretemplate_added after insert on scoretemplate referencing new table as added for each statement
  execute function casewright_history_of_scoretemplate_added();
create trigger scoretemplate_configuration after insert or delete or update on scoretemplate for each statement execute
  function casewright_configuration();
create trigger scoretemplate_history after delete or update on scoretemplate for each row execute function
  casewright_history_of_scoretemplate();
create trigger scoretemplate_reach after update on scoretemplate for each row when (new.extranetenabled::text is
  distinct from old.extranetenabled::text) execute function casewright_reach_template('score');
alter table scoretemplate enable row level security;
create policy reach on scoretemplate for select to casewright_reach, casewright_report, casewright_report_all using
  (true);
grant select on scoretemplate to casewright_reach;
grant select (scoretemplateid, scoretemplate, status, scoretemplatetype, appliesto, repeatable, extranetenabled,
  description, scoreengine, method, valuetype, valuetypecode, engineparameters, renderid, createddate, createdpersonid,
  updateddate, updatedpersonid, version) on scoretemplate to casewright_report;
grant select (scoretemplateid, scoretemplate, status, scoretemplatetype, appliesto, repeatable, extranetenabled,
  description, scoreengine, method, valuetype, valuetypecode, engineparameters, renderid, createddate, createdpersonid,
  updateddate, updatedpersonid, version) on scoretemplate to casewright_report_all;

-- Table searchindex
create table searchindex (
  searchindexid bigint generated always as identity not null,
  recordtype character varying(60) collate "C" not null,
  indexkind character varying(20) collate "C" not null,
  columns character varying(400) collate "C" not null,
  state character varying(20) collate "C" default 'Waiting'::character varying not null,
  attempts integer default 0 not null,
  message character varying(1000) collate "C",
  createddate timestamp with time zone default now() not null,
  createdpersonid bigint,
  constraint searchindex_pkey primary key (searchindexid),
  constraint searchindex_recordtype_indexkind_columns_key unique (recordtype, indexkind, columns),
  constraint searchindex_indexkind_check check (indexkind::text = any (array['Value'::character varying,
    'Contains'::character varying]::text[])),
  constraint searchindex_state_check check (state::text = any (array['Waiting'::character varying, 'Building'::character
    varying, 'Ready'::character varying, 'Failed'::character varying, 'Removing'::character varying]::text[]))
);

-- Table secretkeycheck
create table secretkeycheck (
  onlyrow boolean default true not null,
  sealed bytea not null,
  createddate timestamp with time zone default now() not null,
  constraint secretkeycheck_pkey primary key (onlyrow),
  constraint secretkeycheck_onlyrow_check check (onlyrow)
);

-- Table secretkeyholder
create table secretkeyholder (
  processid uuid not null,
  label text collate "C" not null,
  knows bytea[] not null,
  seals bytea not null,
  seen timestamp with time zone default now() not null,
  constraint secretkeyholder_pkey primary key (processid)
);

-- Table secretkeyrotation
create table secretkeyrotation (
  onlyrow boolean default true not null,
  phase text collate "C" not null,
  newkey bytea not null,
  currentkey bytea not null,
  oldkeys bytea[] not null,
  starteddate timestamp with time zone default now() not null,
  changeddate timestamp with time zone default now() not null,
  constraint secretkeyrotation_pkey primary key (onlyrow),
  constraint secretkeyrotation_currentkey_check check (octet_length(currentkey) = 4),
  constraint secretkeyrotation_newkey_check check (octet_length(newkey) = 4),
  constraint secretkeyrotation_onlyrow_check check (onlyrow),
  constraint secretkeyrotation_phase_check check (phase = any (array['announced'::text, 'sealing'::text,
    'resealed'::text, 'done'::text]))
);

-- Table securelink
create table securelink (
  securelinkid bigint generated always as identity not null,
  securelink character varying(320) collate casewright_text,
  status character varying(100) collate casewright_text,
  securelinktype character varying(100) collate casewright_text,
  messageid bigint not null,
  messagerecipientid bigint not null,
  tokenhash character varying(64) collate "C",
  expirydate timestamp with time zone,
  revokeddate timestamp with time zone,
  lastread timestamp with time zone,
  createddate timestamp with time zone default now() not null,
  createdpersonid bigint,
  updateddate timestamp with time zone default now() not null,
  updatedpersonid bigint,
  version integer default 1 not null,
  constraint securelink_pkey primary key (securelinkid),
  constraint securelink_messageid_fkey foreign key (messageid) references message(messageid) on delete cascade,
  constraint securelink_messagerecipientid_fkey foreign key (messagerecipientid) references
    messagerecipient(messagerecipientid) on delete cascade
);
create index securelink_messageid_idx on securelink (messageid);
create index securelink_messagerecipientid_idx on securelink (messagerecipientid);
create unique index securelink_tokenhash_key on securelink (tokenhash);
create trigger securelink_added after insert on securelink referencing new table as added for each statement execute
  function casewright_history_of_securelink_added();
create trigger securelink_history after delete or update on securelink for each row execute function
  casewright_history_of_securelink('tokenhash');
alter table securelink enable row level security;

-- Table securelinkcode
create table securelinkcode (
  securelinkid bigint not null,
  codehash character varying(64) collate "C" not null,
  expirydate timestamp with time zone not null,
  tries integer default 0 not null,
  createddate timestamp with time zone default now() not null,
  constraint securelinkcode_pkey primary key (securelinkid),
  constraint securelinkcode_securelinkid_fkey foreign key (securelinkid) references securelink(securelinkid) on delete
    cascade
);
alter table securelinkcode enable row level security;

-- Table securelinkfile
create table securelinkfile (
  securelinkid bigint not null,
  attachmentid bigint not null,
  fileversion integer not null,
  constraint securelinkfile_pkey primary key (securelinkid, attachmentid),
  constraint securelinkfile_attachmentid_fkey foreign key (attachmentid) references attachment(attachmentid) on delete
    cascade,
  constraint securelinkfile_securelinkid_fkey foreign key (securelinkid) references securelink(securelinkid) on delete
    cascade
);
create index securelinkfile_attachmentid_idx on securelinkfile (attachmentid);
alter table securelinkfile enable row level security;

-- Table securelinkread
create table securelinkread (
  securelinkreadid bigint generated always as identity not null,
  securelinkid bigint not null,
  readdate timestamp with time zone not null,
  what character varying(20) collate "C" not null,
  detail character varying(300) collate casewright_text,
  personid bigint,
  address character varying(60) collate "C",
  constraint securelinkread_pkey primary key (securelinkreadid),
  constraint securelinkread_personid_fkey foreign key (personid) references person(personid) on delete set null,
  constraint securelinkread_securelinkid_fkey foreign key (securelinkid) references securelink(securelinkid) on delete
    cascade
);
create index securelinkread_personid_idx on securelinkread (personid);
create index securelinkread_securelinkid_idx on securelinkread (securelinkid, readdate);
alter table securelinkread enable row level security;

-- Table securitylog
create table securitylog (
  securitylogid bigint generated always as identity not null,
  securitylog character varying(60) collate casewright_text,
  status character varying(100) collate casewright_text,
  securitylogtype character varying(100) collate casewright_text,
  personid bigint,
  object character varying(60) collate casewright_text,
  objectid bigint,
  address character varying(60) collate "C",
  detail character varying(500) collate casewright_text,
  correlationid character varying(64) collate "C",
  createddate timestamp with time zone default now() not null,
  createdpersonid bigint,
  updateddate timestamp with time zone default now() not null,
  updatedpersonid bigint,
  version integer default 1 not null,
  constraint securitylog_pkey primary key (securitylogid),
  constraint securitylog_personid_fkey foreign key (personid) references person(personid)
);
create index securitylog_createddate_idx on securitylog (createddate);
create index securitylog_personid_idx on securitylog (personid);
alter table securitylog enable row level security;

-- Table servercertificate
create table servercertificate (
  host character varying(255) collate "C" not null,
  port integer not null,
  purpose character varying(255) collate "C" not null,
  expires timestamp with time zone,
  checkeddate timestamp with time zone not null,
  constraint servercertificate_pkey primary key (host, port)
);
alter table servercertificate enable row level security;

-- Table session
create table session (
  sessionid bigint generated always as identity not null,
  session character varying(255) collate casewright_text,
  status character varying(100) collate casewright_text,
  sessiontype character varying(100) collate casewright_text,
  personid bigint not null,
  tokenhash character varying(64) collate "C",
  passwordmark character varying(64) collate "C",
  address character varying(60) collate "C",
  lastseen timestamp with time zone,
  expires timestamp with time zone,
  endeddate timestamp with time zone,
  createddate timestamp with time zone default now() not null,
  createdpersonid bigint,
  updateddate timestamp with time zone default now() not null,
  updatedpersonid bigint,
  version integer default 1 not null,
  authenticationlevel character varying(20) collate "C",
  authenticateddate timestamp with time zone,
  constraint session_pkey primary key (sessionid),
  constraint session_personid_fkey foreign key (personid) references person(personid)
);
create index session_personid_idx on session (personid);
create unique index session_tokenhash_idx on session (tokenhash);
alter table session enable row level security;

-- Table setting
create table setting (
  settingid bigint generated always as identity not null,
  setting character varying(100) collate casewright_text,
  status character varying(100) collate casewright_text,
  settingtype character varying(100) collate casewright_text,
  value character varying(10000) collate casewright_text,
  createddate timestamp with time zone default now() not null,
  createdpersonid bigint,
  updateddate timestamp with time zone default now() not null,
  updatedpersonid bigint,
  version integer default 1 not null,
  constraint setting_pkey primary key (settingid)
);
create unique index setting_setting_key on setting (setting);
create trigger setting_added after insert on setting referencing new table as added for each statement execute function
  casewright_history_of_setting_added();
create trigger setting_configuration after insert or delete or update on setting for each statement execute function
  casewright_configuration();
create trigger setting_history after delete or update on setting for each row execute function
  casewright_history_of_setting();
alter table setting enable row level security;

-- Table sftpaccount
create table sftpaccount (
  sftpaccountid bigint generated always as identity not null,
  sftpaccount character varying(60) collate casewright_text,
  status character varying(100) collate casewright_text,
  sftpaccounttype character varying(100) collate casewright_text,
  personid bigint not null,
  environment character varying(60) collate casewright_text,
  publickeys character varying(20000) collate "C",
  keyfingerprints character varying(4000) collate "C",
  allowednetworks character varying(2000) collate "C",
  template character varying(100) collate casewright_text,
  filenames character varying(1000) collate "C",
  password character varying(255) collate "C",
  passworddate timestamp with time zone,
  createddate timestamp with time zone default now() not null,
  createdpersonid bigint,
  updateddate timestamp with time zone default now() not null,
  updatedpersonid bigint,
  version integer default 1 not null,
  constraint sftpaccount_pkey primary key (sftpaccountid),
  constraint sftpaccount_personid_fkey foreign key (personid) references person(personid)
);
create index sftpaccount_personid_idx on sftpaccount (personid);
create unique index sftpaccount_sftpaccount_idx on sftpaccount (sftpaccount);
create trigger sftpaccount_added after insert on sftpaccount referencing new table as added for each statement execute
  function casewright_history_of_sftpaccount_added();
create trigger sftpaccount_history after delete or update on sftpaccount for each row execute function
  casewright_history_of_sftpaccount('password');
alter table sftpaccount enable row level security;

-- Table sftpfile
create table sftpfile (
  sftpfileid bigint generated always as identity not null,
  sftpaccountid bigint not null,
  path character varying(1024) collate "C",
  filename character varying(255) collate "C" not null,
  state character varying(10) not null,
  opening uuid,
  size bigint,
  duedate timestamp with time zone,
  takendate timestamp with time zone,
  attempts integer default 0 not null,
  createddate timestamp with time zone default now() not null,
  reason character varying(400),
  leftdate timestamp with time zone,
  constraint sftpfile_pkey primary key (sftpfileid),
  constraint sftpfile_check check ((path is null) = (state::text = 'Taken'::text)),
  constraint sftpfile_state_check check (state::text = any (array['Open'::character varying, 'Complete'::character
    varying, 'Left'::character varying, 'Taking'::character varying, 'Taken'::character varying]::text[])),
  constraint sftpfile_sftpaccountid_fkey foreign key (sftpaccountid) references sftpaccount(sftpaccountid) on delete
    cascade
);
create index sftpfile_duedate_idx on sftpfile (duedate) where ((state)::text = any ((array['Complete'::character
  varying, 'Taking'::character varying, 'Taken'::character varying])::text[]));
create unique index sftpfile_path_idx on sftpfile (sftpaccountid, path);

-- Table signinattempt
create table signinattempt (
  subject bytea not null,
  level double precision not null,
  most integer not null,
  changed timestamp with time zone not null,
  streak integer not null,
  waituntil timestamp with time zone,
  admitted boolean not null,
  constraint signinattempt_pkey primary key (subject)
);
create index signinattempt_changed_idx on signinattempt (changed);

-- Table signinfailure
create table signinfailure (
  subject bytea not null,
  windowstart timestamp with time zone not null,
  failures integer not null,
  constraint signinfailure_pkey primary key (subject, windowstart)
);

-- Table slowsearch
create table slowsearch (
  recordtype character varying(60) collate "C" not null,
  filters character varying(1000) collate "C" not null,
  orderby character varying(1000) collate "C" not null,
  searches bigint not null,
  lastdate timestamp with time zone not null,
  lastmilliseconds integer not null,
  worstmilliseconds integer not null,
  constraint slowsearch_pkey primary key (recordtype, filters, orderby)
);

-- Table smartworklist
create table smartworklist (
  smartworklistid bigint generated always as identity not null,
  smartworklist character varying(255) collate casewright_text,
  status character varying(100) collate casewright_text,
  smartworklisttype character varying(100) collate casewright_text,
  smartworklisttemplateid bigint,
  sourceobject character varying(60) collate "C",
  teamid bigint,
  priority integer,
  canceleddate timestamp with time zone,
  calculateddate timestamp with time zone,
  previousworklistid bigint,
  createddate timestamp with time zone default now() not null,
  createdpersonid bigint,
  updateddate timestamp with time zone default now() not null,
  updatedpersonid bigint,
  version integer default 1 not null,
  constraint smartworklist_pkey primary key (smartworklistid),
  constraint smartworklist_smartworklisttemplateid_fkey foreign key (smartworklisttemplateid) references
    smartworklisttemplate(smartworklisttemplateid),
  constraint smartworklist_teamid_fkey foreign key (teamid) references collection(collectionid)
);
create index smartworklist_open_idx on smartworklist (smartworklist) where (canceleddate is null);
create index smartworklist_smartworklisttemplateid_idx on smartworklist (smartworklisttemplateid);
create index smartworklist_teamid_idx on smartworklist (teamid);
create trigger smartworklist_added after insert on smartworklist referencing new table as added for each statement
  execute function casewright_history_of_smartworklist_added();
create trigger smartworklist_history after delete or update on smartworklist for each row execute function
  casewright_history_of_smartworklist();
alter table smartworklist enable row level security;
create policy report_all on smartworklist for select to casewright_report_all using (true);
grant select (smartworklistid, smartworklist, status, smartworklisttype, smartworklisttemplateid, sourceobject, teamid,
  priority, canceleddate, calculateddate, previousworklistid, createddate, createdpersonid, updateddate,
  updatedpersonid, version) on smartworklist to casewright_report;
grant select (smartworklistid, smartworklist, status, smartworklisttype, smartworklisttemplateid, sourceobject, teamid,
  priority, canceleddate, calculateddate, previousworklistid, createddate, createdpersonid, updateddate,
  updatedpersonid, version) on smartworklist to casewright_report_all;

-- Table smartworklistmember
create table smartworklistmember (
  smartworklistmemberid bigint generated always as identity not null,
  smartworklistmember character varying(255) collate casewright_text,
  status character varying(100) collate casewright_text,
  smartworklistmembertype character varying(100) collate casewright_text,
  smartworklistid bigint not null,
  sourceobject character varying(60) collate "C" not null,
  sourceobjectid bigint not null,
  reason character varying(255) collate casewright_text,
  reasondetail text collate casewright_text,
  priority integer,
  sequence integer,
  duedate timestamp with time zone,
  teamid bigint,
  personid bigint,
  startdate timestamp with time zone,
  skipdate timestamp with time zone,
  cancelleddate timestamp with time zone,
  completiondate timestamp with time zone,
  businessminutes integer,
  calculatedworklistid bigint,
  auditeddate timestamp with time zone,
  auditedmemberid bigint,
  createddate timestamp with time zone default now() not null,
  createdpersonid bigint,
  updateddate timestamp with time zone default now() not null,
  updatedpersonid bigint,
  version integer default 1 not null,
  helddate timestamp with time zone,
  constraint smartworklistmember_pkey primary key (smartworklistmemberid),
  constraint smartworklistmember_end_check check (completiondate is null or cancelleddate is null),
  constraint smartworklistmember_personid_fkey foreign key (personid) references person(personid),
  constraint smartworklistmember_smartworklistid_fkey foreign key (smartworklistid) references
    smartworklist(smartworklistid),
  constraint smartworklistmember_teamid_fkey foreign key (teamid) references collection(collectionid)
);
create index smartworklistmember_audit_idx on smartworklistmember (smartworklistid, smartworklistmemberid) where
  ((completiondate is not null) and (auditeddate is null) and (auditedmemberid is null));
create index smartworklistmember_calculated_idx on smartworklistmember (calculatedworklistid) where ((completiondate is
  null) and (cancelleddate is null) and (calculatedworklistid is not null));
create index smartworklistmember_done_idx on smartworklistmember (personid, completiondate) where ((completiondate is
  not null) and (personid is not null));
create index smartworklistmember_held_idx on smartworklistmember (personid, teamid, priority, sequence, duedate,
  smartworklistmemberid) where ((completiondate is null) and (cancelleddate is null) and (skipdate is null) and
  (helddate is not null));
create index smartworklistmember_listed_idx on smartworklistmember (smartworklistid, teamid, priority, sequence,
  duedate, smartworklistmemberid) where ((completiondate is null) and (cancelleddate is null) and (skipdate is null) and
  (helddate is null) and (personid is null));
create index smartworklistmember_open_idx on smartworklistmember (teamid, smartworklistid, personid, duedate,
  createddate) where ((completiondate is null) and (cancelleddate is null));
create index smartworklistmember_output_idx on smartworklistmember (teamid, completiondate, personid) where
  (completiondate is not null);
create index smartworklistmember_own_idx on smartworklistmember (personid, duedate, skipdate, helddate) where
  ((completiondate is null) and (cancelleddate is null) and (personid is not null));
create index smartworklistmember_personid_idx on smartworklistmember (personid, teamid, priority, sequence, duedate,
  smartworklistmemberid) where ((completiondate is null) and (cancelleddate is null) and (skipdate is null) and
  (helddate is null) and (personid is not null));
create index smartworklistmember_skipdate_idx on smartworklistmember (teamid, skipdate) where ((completiondate is null)
  and (cancelleddate is null) and (skipdate is not null));
create index smartworklistmember_smartworklistid_idx on smartworklistmember (smartworklistid);
create index smartworklistmember_source_idx on smartworklistmember (sourceobjectid, sourceobject);
create index smartworklistmember_teamid_idx on smartworklistmember (teamid, priority, sequence, duedate,
  smartworklistmemberid) where ((completiondate is null) and (cancelleddate is null) and (skipdate is null) and
  (helddate is null) and (personid is null));
create trigger smartworklistmember_added after insert on smartworklistmember referencing new table as added for each
  statement execute function casewright_history_of_smartworklistmember_added();
create trigger smartworklistmember_history after delete or update on smartworklistmember for each row execute function
  casewright_history_of_smartworklistmember();
create trigger smartworklistmember_hold before insert on smartworklistmember for each row when (new.sourceobject::text =
  'ImportForm'::text) execute function casewright_smartworklistmember_hold();
create trigger smartworklistmember_hold_open before update of completiondate, cancelleddate on smartworklistmember for
  each row when (new.sourceobject::text = 'ImportForm'::text and new.completiondate is null and new.cancelleddate is
  null and (old.completiondate is not null or old.cancelleddate is not null)) execute function
  casewright_smartworklistmember_hold();
alter table smartworklistmember enable row level security;
create policy report_all on smartworklistmember for select to casewright_report_all using (true);
grant select (smartworklistmemberid, smartworklistmember, status, smartworklistmembertype, smartworklistid,
  sourceobject, sourceobjectid, reason, reasondetail, priority, sequence, duedate, teamid, personid, startdate,
  skipdate, cancelleddate, completiondate, businessminutes, calculatedworklistid, auditeddate, auditedmemberid,
  createddate, createdpersonid, updateddate, updatedpersonid, version, helddate) on smartworklistmember to
  casewright_report;
grant select (smartworklistmemberid, smartworklistmember, status, smartworklistmembertype, smartworklistid,
  sourceobject, sourceobjectid, reason, reasondetail, priority, sequence, duedate, teamid, personid, startdate,
  skipdate, cancelleddate, completiondate, businessminutes, calculatedworklistid, auditeddate, auditedmemberid,
  createddate, createdpersonid, updateddate, updatedpersonid, version, helddate) on smartworklistmember to
  casewright_report_all;

-- Table smartworklisttemplate
create table smartworklisttemplate (
  smartworklisttemplateid bigint generated always as identity not null,
  smartworklisttemplate character varying(100) collate casewright_text,
  status character varying(100) collate casewright_text,
  smartworklisttemplatetype character varying(100) collate casewright_text,
  appliesto character varying(60) collate casewright_text,
  repeatable character varying(9) collate casewright_text,
  extranetenabled character varying(6) collate casewright_text,
  description character varying(10000) collate casewright_text,
  sourceobject character varying(60) collate "C",
  calculatemethod character varying(4000) collate "C",
  memberurl character varying(2000) collate "C",
  onassignsourceperson character varying(60) collate "C",
  teamid bigint,
  priority integer,
  teammatrixid bigint,
  auditmatrixid bigint,
  createddate timestamp with time zone default now() not null,
  createdpersonid bigint,
  updateddate timestamp with time zone default now() not null,
  updatedpersonid bigint,
  version integer default 1 not null,
  constraint smartworklisttemplate_pkey primary key (smartworklisttemplateid),
  constraint smartworklisttemplate_auditmatrixid_fkey foreign key (auditmatrixid) references matrix(matrixid),
  constraint smartworklisttemplate_teamid_fkey foreign key (teamid) references collection(collectionid),
  constraint smartworklisttemplate_teammatrixid_fkey foreign key (teammatrixid) references matrix(matrixid)
);
create index smartworklisttemplate_auditmatrixid_idx on smartworklisttemplate (auditmatrixid);
create index smartworklisttemplate_teamid_idx on smartworklisttemplate (teamid);
create index smartworklisttemplate_teammatrixid_idx on smartworklisttemplate (teammatrixid);
create trigger smartworklisttemplate_added after insert on smartworklisttemplate referencing new table as added for each
  statement execute function casewright_history_of_smartworklisttemplate_added();
create trigger smartworklisttemplate_configuration after insert or delete or update on smartworklisttemplate for each
  statement execute function casewright_configuration();
create trigger smartworklisttemplate_history after delete or update on smartworklisttemplate for each row execute
  function casewright_history_of_smartworklisttemplate();
alter table smartworklisttemplate enable row level security;
create policy reach on smartworklisttemplate for select to casewright_reach, casewright_report, casewright_report_all
  using (true);
grant select on smartworklisttemplate to casewright_reach;
grant select (smartworklisttemplateid, smartworklisttemplate, status, smartworklisttemplatetype, appliesto, repeatable,
  extranetenabled, description, sourceobject, calculatemethod, memberurl, onassignsourceperson, teamid, priority,
  teammatrixid, auditmatrixid, createddate, createdpersonid, updateddate, updatedpersonid, version) on
  smartworklisttemplate to casewright_report;
grant select (smartworklisttemplateid, smartworklisttemplate, status, smartworklisttemplatetype, appliesto, repeatable,
  extranetenabled, description, sourceobject, calculatemethod, memberurl, onassignsourceperson, teamid, priority,
  teammatrixid, auditmatrixid, createddate, createdpersonid, updateddate, updatedpersonid, version) on
  smartworklisttemplate to casewright_report_all;

-- Table staginguse
create table staginguse (
  tablename text collate "C" not null,
  importfileid bigint not null,
  alone boolean not null,
  own boolean not null,
  usedate timestamp with time zone not null,
  constraint staginguse_pkey primary key (tablename, importfileid)
);

-- Table statement
create table statement (
  statementid bigint generated always as identity not null,
  statement character varying(60) collate casewright_text,
  status character varying(100) collate casewright_text,
  statementtype character varying(100) collate casewright_text,
  classname character varying(60) collate casewright_text,
  description character varying(1000) collate casewright_text,
  query character varying(50000) collate "C",
  createddate timestamp with time zone default now() not null,
  createdpersonid bigint,
  updateddate timestamp with time zone default now() not null,
  updatedpersonid bigint,
  version integer default 1 not null,
  constraint statement_pkey primary key (statementid)
);
create unique index statement_statement_key on statement (classname, statement);
create trigger statement_added after insert on statement referencing new table as added for each statement execute
  function casewright_history_of_statement_added();
create trigger statement_configuration after insert or delete or update on statement for each statement execute function
  casewright_configuration();
create trigger statement_history after delete or update on statement for each row execute function
  casewright_history_of_statement();
alter table statement enable row level security;

-- Table storedfile
create table storedfile (
  fileobjectid bigint not null,
  path character varying(1024) collate "C" not null,
  filecontentid bigint not null,
  modified timestamp with time zone not null,
  constraint storedfile_pkey primary key (fileobjectid, path),
  constraint storedfile_filecontentid_fkey foreign key (filecontentid) references filecontent(filecontentid),
  constraint storedfile_fileobjectid_fkey foreign key (fileobjectid) references fileobject(fileobjectid)
);
create index storedfile_filecontentid_idx on storedfile (filecontentid);

-- Table testgatewayobject
create table testgatewayobject (
  paymentproviderid bigint not null,
  id character varying(60) collate "C" not null,
  kind character varying(20) collate "C" not null,
  parentid character varying(60) collate "C",
  requestkey character varying(200) collate "C",
  createddate timestamp with time zone not null,
  state jsonb not null,
  constraint testgatewayobject_pkey primary key (paymentproviderid, id),
  constraint testgatewayobject_kind_check check (kind::text = any (array['customer'::character varying,
    'method'::character varying, 'vaulting'::character varying, 'payment'::character varying, 'refund'::character varying,
    'subscription'::character varying, 'dispute'::character varying]::text[])),
  constraint testgatewayobject_paymentproviderid_fkey foreign key (paymentproviderid) references
    paymentprovider(paymentproviderid) on delete cascade
);
create index testgatewayobject_createddate_idx on testgatewayobject (paymentproviderid, kind, createddate, id);
create index testgatewayobject_parentid_idx on testgatewayobject (paymentproviderid, parentid);
create index testgatewayobject_requestkey_idx on testgatewayobject (paymentproviderid, requestkey);
alter table testgatewayobject enable row level security;

-- Table testgatewayrequest
create table testgatewayrequest (
  paymentproviderid bigint not null,
  requestkey character varying(200) collate "C" not null,
  requesthash character varying(64) collate "C" not null,
  answer jsonb,
  createddate timestamp with time zone not null,
  constraint testgatewayrequest_pkey primary key (paymentproviderid, requestkey),
  constraint testgatewayrequest_paymentproviderid_fkey foreign key (paymentproviderid) references
    paymentprovider(paymentproviderid) on delete cascade
);
alter table testgatewayrequest enable row level security;

-- Table transform
create table transform (
  transformid bigint generated always as identity not null,
  transform character varying(100) collate casewright_text,
  status character varying(100) collate casewright_text,
  transformtype character varying(100) collate casewright_text,
  stylesheet character varying(262144) collate "C",
  description character varying(1000) collate casewright_text,
  createddate timestamp with time zone default now() not null,
  createdpersonid bigint,
  updateddate timestamp with time zone default now() not null,
  updatedpersonid bigint,
  version integer default 1 not null,
  constraint transform_pkey primary key (transformid)
);
create unique index transform_transform_key on transform (transform);
create trigger transform_added after insert on transform referencing new table as added for each statement execute
  function casewright_history_of_transform_added();
create trigger transform_configuration after insert or delete or update on transform for each statement execute function
  casewright_configuration();
create trigger transform_history after delete or update on transform for each row execute function
  casewright_history_of_transform();
alter table transform enable row level security;
create policy reach on transform for select to casewright_reach, casewright_report, casewright_report_all using (true);
grant select on transform to casewright_reach;
grant select (transformid, transform, status, transformtype, stylesheet, description, createddate, createdpersonid,
  updateddate, updatedpersonid, version) on transform to casewright_report;
grant select (transformid, transform, status, transformtype, stylesheet, description, createddate, createdpersonid,
  updateddate, updatedpersonid, version) on transform to casewright_report_all;

-- Table upload
create table upload (
  uploadguid uuid not null,
  personid bigint not null,
  filename character varying(255) not null,
  filesize bigint not null,
  received bigint not null,
  checksum bigint not null,
  fileobject character varying(100) collate "C" not null,
  filehash character varying(64) collate "C",
  fields bytea not null,
  attachmentid bigint,
  finisheddate timestamp with time zone,
  createddate timestamp with time zone not null,
  updateddate timestamp with time zone not null,
  constraint upload_pkey primary key (uploadguid),
  constraint upload_check check (received >= 0 and received <= filesize),
  constraint upload_check1 check (finisheddate is null or received = filesize),
  constraint upload_filesize_check check (filesize >= 0),
  constraint upload_attachmentid_fkey foreign key (attachmentid) references attachment(attachmentid) on delete set null,
  constraint upload_personid_fkey foreign key (personid) references person(personid) on delete cascade
);
create index upload_attachmentid_idx on upload (attachmentid) where (attachmentid is not null);
create index upload_personid_idx on upload (personid) where (finisheddate is null);
create index upload_updateddate_idx on upload (updateddate);

-- Table usagecount
create table usagecount (
  subject bytea not null,
  ends timestamp with time zone not null,
  used bigint not null,
  constraint usagecount_pkey primary key (subject, ends)
);
create index usagecount_ends_idx on usagecount (ends);

-- Table view
create table view (
  viewid bigint generated always as identity not null,
  view character varying(60) collate casewright_text,
  status character varying(100) collate casewright_text,
  viewtype character varying(100) collate casewright_text,
  recordtype character varying(60) collate "C" not null,
  filters character varying(4000) collate "C",
  columns character varying(2000) collate "C",
  sortedby character varying(500) collate "C",
  personid bigint,
  collectionid bigint,
  pinned boolean,
  "position" integer,
  createddate timestamp with time zone default now() not null,
  createdpersonid bigint,
  updateddate timestamp with time zone default now() not null,
  updatedpersonid bigint,
  version integer default 1 not null,
  constraint view_pkey primary key (viewid),
  constraint view_owner_check check (personid is null or collectionid is null),
  constraint view_collectionid_fkey foreign key (collectionid) references collection(collectionid),
  constraint view_personid_fkey foreign key (personid) references person(personid)
);
create index view_collectionid_idx on view (collectionid);
create index view_personid_idx on view (personid);
create index view_recordtype_idx on view (recordtype);
create trigger view_added after insert on view referencing new table as added for each statement execute function
  casewright_history_of_view_added();
create trigger view_history after delete or update on view for each row execute function casewright_history_of_view();
alter table view enable row level security;
create policy reach on view for select to casewright_reach, casewright_report using (((personid IS NULL) AND
  (collectionid IS NULL)));
create policy report_all on view for select to casewright_report_all using (true);
grant select on view to casewright_reach;
grant select (viewid, view, status, viewtype, recordtype, filters, columns, sortedby, personid, collectionid, pinned,
  "position", createddate, createdpersonid, updateddate, updatedpersonid, version) on view to casewright_report;
grant select (viewid, view, status, viewtype, recordtype, filters, columns, sortedby, personid, collectionid, pinned,
  "position", createddate, createdpersonid, updateddate, updatedpersonid, version) on view to casewright_report_all;

-- Table watchedfile
create table watchedfile (
  watchedfileid bigint generated always as identity not null,
  location character varying(100) collate casewright_text not null,
  path character varying(1024) collate "C" not null,
  size bigint not null,
  modified timestamp with time zone not null,
  changeddate timestamp with time zone not null,
  state character varying(20) collate "C" default 'Waiting'::character varying not null,
  hash character varying(64) collate "C",
  kind character varying(60) collate "C",
  attachmentid bigint,
  importfileid bigint,
  targetlocation character varying(100) collate casewright_text,
  targetpath character varying(1000) collate "C",
  removesource boolean default false not null,
  guid uuid default gen_random_uuid() not null,
  leaseid uuid,
  leaseduntil timestamp with time zone,
  attempts integer default 0 not null,
  problem character varying(1000) collate casewright_text,
  createddate timestamp with time zone not null,
  waitingdate timestamp with time zone,
  alarmdate timestamp with time zone,
  constraint watchedfile_pkey primary key (watchedfileid),
  constraint watchedfile_state_check check (state::text = any (array['Waiting'::character varying, 'Taken'::character
    varying, 'Placed'::character varying, 'Cleared'::character varying, 'Imported'::character varying, 'Done'::character
    varying]::text[]))
);
create unique index watchedfile_path_idx on watchedfile (location, path);
create index watchedfile_unfinished_idx on watchedfile (location, path) where ((state)::text = any
  ((array['Taken'::character varying, 'Placed'::character varying, 'Cleared'::character varying, 'Imported'::character
  varying])::text[]));

-- Table webhook
create table webhook (
  webhookid bigint generated always as identity not null,
  webhook character varying(255) collate casewright_text,
  status character varying(100) collate casewright_text,
  webhooktype character varying(100) collate casewright_text,
  url character varying(2000) collate "C" not null,
  events character varying(4000) collate casewright_text not null,
  columns character varying(4000) collate casewright_text,
  fields character varying(4000) collate casewright_text,
  organizationid bigint,
  isactive boolean,
  headers character varying(20000) collate "C",
  headernames character varying(2000) collate "C",
  secret character varying(500) collate "C",
  secretdate timestamp with time zone,
  previoussecret character varying(500) collate "C",
  previoussecretuntil timestamp with time zone,
  disableddate timestamp with time zone,
  disabledreason character varying(300) collate casewright_text,
  createddate timestamp with time zone default now() not null,
  createdpersonid bigint,
  updateddate timestamp with time zone default now() not null,
  updatedpersonid bigint,
  version integer default 1 not null,
  constraint webhook_pkey primary key (webhookid),
  constraint webhook_organizationid_fkey foreign key (organizationid) references organization(organizationid)
);
create index webhook_organizationid_idx on webhook (organizationid);
create trigger webhook_added after insert on webhook referencing new table as added for each statement execute function
  casewright_history_of_webhook_added();
create trigger webhook_configuration after insert or delete or update on webhook for each statement execute function
  casewright_configuration();
create trigger webhook_history after delete or update on webhook for each row execute function
  casewright_history_of_webhook('headers', 'secret', 'previoussecret');
alter table webhook enable row level security;

-- Table webhookdelivery
create table webhookdelivery (
  webhookdeliveryid bigint generated always as identity not null,
  webhookdelivery character varying(255) collate casewright_text,
  status character varying(100) collate casewright_text,
  webhookdeliverytype character varying(100) collate casewright_text,
  webhookid bigint,
  eventid character varying(40) collate "C",
  eventdate timestamp with time zone,
  object character varying(60) collate "C",
  objectid bigint,
  recordversion integer,
  data text collate "C",
  correlationid character varying(64) collate "C",
  attempts integer,
  nextattempt timestamp with time zone,
  retryuntil timestamp with time zone,
  leaseduntil timestamp with time zone,
  lastattempt timestamp with time zone,
  delivereddate timestamp with time zone,
  replayeddate timestamp with time zone,
  responsecode integer,
  durationmilliseconds integer,
  lasterror character varying(100) collate "C",
  responsestart character varying(500) collate "C",
  attemptlog jsonb,
  createddate timestamp with time zone default now() not null,
  createdpersonid bigint,
  updateddate timestamp with time zone default now() not null,
  updatedpersonid bigint,
  version integer default 1 not null,
  constraint webhookdelivery_pkey primary key (webhookdeliveryid)
);
create index webhookdelivery_createddate_idx on webhookdelivery (createddate);
create unique index webhookdelivery_event_idx on webhookdelivery (eventid, webhookid);
create index webhookdelivery_sending_idx on webhookdelivery (webhookid, leaseduntil) where ((status)::text =
  'Sending'::text);
create index webhookdelivery_waiting_idx on webhookdelivery (webhookid, nextattempt, webhookdeliveryid) where
  ((status)::text = 'Waiting'::text);
alter table webhookdelivery enable row level security;

-- Table webhookstate
create table webhookstate (
  webhookid bigint not null,
  failures integer default 0 not null,
  failingsince timestamp with time zone,
  helduntil timestamp with time zone,
  wakeat timestamp with time zone,
  constraint webhookstate_pkey primary key (webhookid),
  constraint webhookstate_webhookid_fkey foreign key (webhookid) references webhook(webhookid) on delete cascade
);

-- Table workclaim
create table workclaim (
  smartworklistmemberid bigint not null,
  personid bigint not null,
  startdate timestamp with time zone not null,
  assigned boolean not null,
  expires timestamp with time zone not null,
  constraint workclaim_pkey primary key (smartworklistmemberid),
  constraint workclaim_personid_fkey foreign key (personid) references person(personid),
  constraint workclaim_smartworklistmemberid_fkey foreign key (smartworklistmemberid) references
    smartworklistmember(smartworklistmemberid) on delete cascade
);
create index workclaim_expires_idx on workclaim (expires);

-- Report views: what saved statements see, made from the declarations of the record types
-- create view report.attachment: attachmentid, attachment, status, attachmenttype, object, objectid,
-- attachmenttemplateid, filename, description, mimetype, filesize, filehash, fileobject, filepath, sealed, xmldata,
-- createddate, createdpersonid, updateddate, updatedpersonid, version, custom, fileversion, filesha1, filemd5,
-- scanstate, scandate, scanresult
-- create view report.attachmenttemplate: attachmenttemplateid, attachmenttemplate, status, attachmenttemplatetype,
-- appliesto, repeatable, extranetenabled, description, method, attachmentservice, fileobjectassembly, createddate,
-- createdpersonid, updateddate, updatedpersonid, version, options
-- create view report.bankruptcy: bankruptcy, bankruptcyid, bankruptcytype, status, processtype, recordclass, loanid,
-- organizationid, dateopened, dateclosed, closedreason, loanassigned, bkcaseno, chapter, court, filingdate, bardate,
-- hearingdate, createddate, createdpersonid, updateddate, updatedpersonid, version, custom, assignedpersonid
-- create view report.businessrule: businessruleid, businessrule, status, businessruletype, appliesto, operation,
-- startdate, enddate, sequence, rulevalidator, stylesheet, description, createddate, createdpersonid, updateddate,
-- updatedpersonid, version
-- create view report.casesummary: casesummaryid, casesummary, status, casesummarytype, processid, recordclass, isopen,
-- loanid, loannumber, borrower, address, city, state, agency, upbamount, organizationid, assignedpersonid, dateopened,
-- dateclosed, scheduledsaledate, chapter, stage, stagenumber, stagecount, stagebegan, stagetarget, targetdays, hold,
-- helddate, nexttask, nexttaskid, nextdue, createddate, createdpersonid, updateddate, updatedpersonid, version
-- create view report.collection: collectionid, collection, status, collectiontype, collectiontemplateid, sourceobject,
-- createddate, createdpersonid, updateddate, updatedpersonid, version, custom
-- create view report.collectionmember: collectionmemberid, collectionmember, status, collectionmembertype,
-- collectionid, sourceobjectid, effectivedate, expiresdate, priority, createddate, createdpersonid, updateddate,
-- updatedpersonid, version, custom
-- create view report.collectiontemplate: collectiontemplateid, collectiontemplate, status, collectiontemplatetype,
-- appliesto, repeatable, extranetenabled, description, createddate, createdpersonid, updateddate, updatedpersonid,
-- version
-- create view report.contact: contactid, contact, status, contacttype, object, objectid, recordclass, firstname,
-- middlename, lastname, prefix, suffix, company, title, address, city, state, postalcode, country, birthdate,
-- spokenlanguage, latitude, longitude, contacttemplateid, parentcontactid, usssn4, scrastatus, scrasource,
-- scrastatusasof, verifiedsource, verifieddate, borrowertype, sequence, createddate, createdpersonid, updateddate,
-- updatedpersonid, version, custom, scraactivedutystartdate, scraactivedutyenddate, scraservicecomponentcode,
-- scramessage
-- create view report.contactmethod: contactmethodid, contactmethod, status, contactmethodtype, contactid, methodtype,
-- contactvalue, primarymethod, validstart, validend, verifiedsource, createddate, createdpersonid, updateddate,
-- updatedpersonid, version, custom
-- create view report.contacttemplate: contacttemplateid, contacttemplate, status, contacttemplatetype, appliesto,
-- repeatable, extranetenabled, description, customstatuslist, customtypelist, createddate, createdpersonid,
-- updateddate, updatedpersonid, version
-- create view report.customfield: customfieldid, customfield, status, customfieldtype, appliesto, label, kind, max,
-- "values", required, classification, description, isactive, isindexed, storedname, createddate, createdpersonid,
-- updateddate, updatedpersonid, version
-- create view report.decision: decisionid, decision, status, decisiontype, object, objectid, decisiontemplateid,
-- decisiontemplateversionid, parentdecisionstepid, estimatedstart, estimatedcompletion, projectedstart,
-- projectedcompletion, actualstart, actualcompletion, canceleddate, delayed, delaycount, delayduration, stepsequence,
-- createddate, createdpersonid, updateddate, updatedpersonid, version, custom
-- create view report.decisiondelay: decisiondelayid, decisiondelay, status, decisiondelaytype, object, objectid,
-- decisiondelaytemplateid, decisionid, reasondetail, actualstart, projectedcompletion, actualcompletion, createddate,
-- createdpersonid, updateddate, updatedpersonid, version, custom
-- create view report.decisiondelaytemplate: decisiondelaytemplateid, decisiondelaytemplate, status,
-- decisiondelaytemplatetype, appliesto, repeatable, extranetenabled, description, onstartparentstatus,
-- decisiontemplateid, importformtemplateid, createddate, createdpersonid, updateddate, updatedpersonid, version
-- create view report.decisiondependency: decisiondependencyid, decisiondependency, status, decisiondependencytype,
-- decisiontemplateid, decisionsteptemplate, decisionsteptemplateid, dependencysteptemplate, dependencysteptemplateid,
-- istrue, groupnumber, createddate, createdpersonid, updateddate, updatedpersonid, version
-- create view report.decisionstep: decisionstepid, decisionstep, status, decisionsteptype, decisionid,
-- decisionsteptemplateid, object, objectid, istrue, estimatedstart, estimatedcompletion, projectedstart,
-- projectedcompletion, actualstart, actualcompletion, canceleddate, errordate, errorguid, errormessage, teamid,
-- delayed, delaycount, delayduration, enforcedelay, queuemessageid, insertedsequence, completedsequence, createddate,
-- createdpersonid, updateddate, updatedpersonid, version, custom
-- create view report.decisionsteptemplate: decisionsteptemplateid, decisionsteptemplate, status,
-- decisionsteptemplatetype, decisiontemplateid, sequence, object, objectid, operation, parameters, method, batchlog,
-- batchsteptheadcount, stepxml, stepxslt, durationscale, estimatedduration, referencedate, repeatability, async, queue,
-- queueparameters, objectmatrixid, monitorscheduleid, createoncompletion, teamid, onstartparentstatus,
-- onstartdecisionstatus, oncompleteparentstatus, oncompletedecisionstatus, description, createddate, createdpersonid,
-- updateddate, updatedpersonid, version, milestone
-- create view report.decisiontemplate: decisiontemplateid, decisiontemplate, status, decisiontemplatetype, appliesto,
-- repeatable, extranetenabled, description, enforcestartdates, enforcedelay, createddate, createdpersonid, updateddate,
-- updatedpersonid, version
-- create view report.delivery: deliveryid, delivery, status, deliverytype, deliverybatchid, object, objectid,
-- attachmentid, attachmenttemplateid, filehash, contactid, recipientname, street, city, state, postalcode, mailhouse,
-- mailclass, pages, sheets, cost, letterkey, submissionkey, reference, trackingnumber, begundate, prepareddate,
-- submitteddate, maileddate, delivereddate, returneddate, canceleddate, faileddate, unknowndate, trackeddate, reason,
-- createddate, createdpersonid, updateddate, updatedpersonid, version, custom
-- create view report.deliverybatch: deliverybatchid, deliverybatch, status, deliverybatchtype, mailhouse, mailclass,
-- batchkey, attempts, nextattempt, retryuntil, leaseduntil, requesteddate, requestedpersonid, lasterror, createddate,
-- createdpersonid, updateddate, updatedpersonid, version
-- create view report.event: eventid, event, status, eventtype, object, objectid, recordtype, providercode,
-- businesseventcode, businesseventname, sourcesystemcode, servicercode, servicername, servicerloannumberid,
-- eventactualdate, eventcreateddate, eventrecordeddate, eventprocessid, processorid, processorname, delaytypecode,
-- subservicercode, subservicername, investorcode, investorname, investorloannumberid, investorservicerid,
-- delayactualstartdate, delayprojectedenddate, delayendreasoncode, delaydetails, primaryborrowerlastname,
-- primaryborrowerfirstname, secondaryborrowerlastname, secondaryborrowerfirstname, propertyaddressansistatecode,
-- propertycountyansicode, propertycountryisocode, propertyprimaryresidenceindicator, dwellingresidencetype,
-- originalmortgageamount, unpaidprincipalbalanceamount, oldestunpaidinstallmentdate, loanoriginationclosingdate,
-- litigationindicator, lienprioritytype, mortgagetype, mortgagefinancetype, loanmilitaryprotectionstatusindicator,
-- servicingportfoliopoolcertid, servicingportfoliopoolcertissuedate, ficoscorevl, guarantorcode, guarantorloannumberid,
-- miinsurercode, mipayertype, insurermicertid, insurermicertdate, assignedfcattorneycode, fcattorneyfileid,
-- fcmethodtype, propertycurrentoccupancytype, fcsaleresulttype, fcsalescheduleddate, fcsalerescissionreasoncode,
-- legalprocessservicemethodtype, fcjudgmenttype, pursuedeficiencyindicator, restartindicator, fcsalechangedreasoncode,
-- presaleborrowerrighttocureenddate, judgmentamount, instateserviceindicator, fcstatustype, fcfileclosedreasontype,
-- fcsalebidamount, propertyinspectiontypecode, redemptionperiodprojectedenddate, finallawdate, bkstatusindicator,
-- assignedbkattorneycode, bkborrowerintenttosurrenderpropertyindicator, bkcasenumberid, bkchaptertypecode,
-- bkdistrictcode, bkdistrictname, bkfilertype, bkfilingdate, bkfilinglastpaidinstallmentdate, bkfilingansistatecode,
-- bkpostpetitionplandate, bkreferraltype, bkplanamendedtype, bkpocbardate, bkpostpetitionpaymentamount,
-- bkpostpetitionpaymentduedate, propertyvaluationmethodtype, propertyvaluationamount, propertyvaluationdate,
-- paymentchangenoticereasontype, mfrrequestedreasontype, filingdispositiontype, trusteepayallindicator,
-- cramdownindicator, cramdownamount, propertyvalueasassetindicator, propertysalepriceamount, loandelinquencyeventtype,
-- servicingtransferorcode, servicingtransferorname, servicingtransfereecode, servicingtransfereename,
-- propertycountyansiname, assignedfcattorneyname, assignedbkattorneyname, documenttypecode, importfileid, sourceline,
-- organizationid, loanid, importformid, decisiondelayid, createddate, createdpersonid, updateddate, updatedpersonid,
-- version
-- create view report.eventcode: eventcodeid, eventcode, status, eventcodetype, description, casekind,
-- importformtemplateid, taskdate, casestatus, decisiondelaytemplateid, createddate, createdpersonid, updateddate,
-- updatedpersonid, version
-- create view report.foreclosure: foreclosure, foreclosureid, foreclosuretype, status, processtype, recordclass,
-- loanid, organizationid, dateopened, dateclosed, closedreason, loanassigned, saleamount, soldtoname,
-- scheduledsaledate, redemptiondate, deficiencystatus, redemptionamount, openingbidamount, createddate,
-- createdpersonid, updateddate, updatedpersonid, version, custom, assignedpersonid
-- create view report.geography: geographyid, geography, status, geographytype, code, parentgeographyid, createddate,
-- createdpersonid, updateddate, updatedpersonid, version
-- create view report.history: historyid, changedate, object, objectid, change, personid, version, field, oldvalue
-- create view report.holiday: holidayid, holiday, status, holidaytype, date, yearly, createddate, createdpersonid,
-- updateddate, updatedpersonid, version
-- create view report.importcorrection: importcorrectionid, importcorrection, status, importcorrectiontype,
-- importfileid, organizationid, sourceline, sourcecolumns, actorpersonid, reason, message, importlogid,
-- sentimportfileid, createddate, createdpersonid, updateddate, updatedpersonid, version, custom
-- create view report.importfile: importfileid, importfile, status, importfiletype, object, objectid,
-- importfiletemplateid, pretransformid, organizationid, reference, externalreference, successcount, errorcount,
-- warnings, importstart, importcomplete, message, createddate, createdpersonid, updateddate, updatedpersonid, version,
-- custom, unlisted, correctsid, resentdate, sftpaccountid
-- create view report.importfilemap: importfilemapid, importfilemap, status, importfilemaptype, importfiletemplateid,
-- destination, translation, istext, required, datatype, sequence, createddate, createdpersonid, updateddate,
-- updatedpersonid, version
-- create view report.importfilequeue: importfilequeueid, importfilequeue, status, importfilequeuetype, importfileid,
-- organizationid, classname, operation, queue, queueddate, successdate, failuredate, executecount, message, result,
-- sourceline, leaseduntil, importlogid, createddate, createdpersonid, updateddate, updatedpersonid, version, callid
-- create view report.importfiletemplate: importfiletemplateid, importfiletemplate, status, importfiletemplatetype,
-- appliesto, repeatable, extranetenabled, description, importengine, async, queue, failurethreshold, successthreshold,
-- validatestatement, importstatement, resultmethod, oncompletestatus, parameterstring, createddate, createdpersonid,
-- updateddate, updatedpersonid, version, importoperationsallowed, validateschema, schema, endimportmethod,
-- decisiontemplateid
-- create view report.importform: importformid, importform, status, importformtype, object, objectid,
-- importformtemplateid, estimatedstart, estimatedcompletion, projectedstart, projectedcompletion, actualstart,
-- actualcompletion, canceleddate, xmldata, assignedcollectionid, assignedpersonid, decisionstepid, createddate,
-- createdpersonid, updateddate, updatedpersonid, version, custom, isfollowup
-- create view report.importformquestion: importformquestionid, importformquestion, status, importformquestiontype,
-- importformtemplateid, questiontype, prompt, help, section, sequence, isrequired, choices, minimum, maximum, pattern,
-- defaultanswer, calculation, shownwhen, requiredwhen, createddate, createdpersonid, updateddate, updatedpersonid,
-- version, rowsof
-- create view report.importformstatus: importformstatusid, importformstatus, status, importformstatustype,
-- importformtemplateid, isfinal, sequence, createddate, createdpersonid, updateddate, updatedpersonid, version
-- create view report.importformtemplate: importformtemplateid, importformtemplate, status, importformtemplatetype,
-- appliesto, repeatable, extranetenabled, description, instructions, assignedcollectionid, smartworklisttemplateid,
-- createddate, createdpersonid, updateddate, updatedpersonid, version
-- create view report.importformtransition: importformtransitionid, importformtransition, status,
-- importformtransitiontype, importformtemplateid, fromstatus, tostatus, roles, smartworklisttemplateid, createddate,
-- createdpersonid, updateddate, updatedpersonid, version
-- create view report.importlog: importlogid, importlog, status, importlogtype, importfileid, organizationid, reference,
-- object, objectid, operation, message, properties, sequence, createddate, createdpersonid, updateddate,
-- updatedpersonid, version, sourceline, logcategory, sourcecolumn
-- create view report.ledger: ledgerid, ledger, status, ledgertype, object, objectid, ledgertemplateid, balance,
-- balanceadjusted, islocked, isexpandable, completed, posteddate, createddate, createdpersonid, updateddate,
-- updatedpersonid, version, custom, currency
-- create view report.ledgeritem: ledgeritemid, ledgeritem, status, ledgeritemtype, ledgerid, ledgertemplateitemid,
-- sequence, amountmoney, amountmoneycountered, amountdecimal, units, unitcount, rate, isdebit, istotaled, islocked,
-- posteddate, paiddate, transactionnumber, childledgerid, description, createddate, createdpersonid, updateddate,
-- updatedpersonid, version, custom, effectivedate, personid, reviewpersonid, reviewdate, reviewreason,
-- referenceledgeritemid, paymentrole, importfileid
-- create view report.ledgertemplate: ledgertemplateid, ledgertemplate, status, ledgertemplatetype, appliesto,
-- repeatable, extranetenabled, description, refreshoninsert, calculatemethod, projectmethod, invoicetemplateid,
-- invoicematrixid, createddate, createdpersonid, updateddate, updatedpersonid, version, currency
-- create view report.ledgertemplateitem: ledgertemplateitemid, ledgertemplateitem, status, ledgertemplateitemtype,
-- ledgertemplateid, childledgertemplateid, sequence, amountmoney, units, unitcount, rate, isdebit, istotaled,
-- canexclude, canrefresh, manualinsert, matrixid, createddate, createdpersonid, updateddate, updatedpersonid, version,
-- account
-- create view report.loan: loanid, loan, status, loantype, agency, propertyid, servicerloanid, originalbalance,
-- upbamount, lienprioritytype, sourceorganizationid, createddate, createdpersonid, updateddate, updatedpersonid,
-- version, custom, assignmentstatus
-- create view report.maildelivery: maildeliveryid, maildelivery, status, maildeliverytype, provider, object, objectid,
-- internetmessageid, mailcontentid, recipients, attempts, nextattempt, retryuntil, leaseduntil, databegun, slotdate,
-- lastattempt, sentdate, lasterror, attemptlog, messageid, messagerecipientid, correlationid, createddate,
-- createdpersonid, updateddate, updatedpersonid, version
-- create view report.mailreceipt: mailreceiptid, mailreceipt, status, mailreceipttype, mailinboundid, folder,
-- uidvalidity, uid, headerhash, contenthash, internetmessageid, inreplyto, earlierids, messageid, fromaddress,
-- receiveddate, size, attachmentid, reason, attempts, createddate, createdpersonid, updateddate, updatedpersonid,
-- version
-- create view report.matrix: matrixid, matrix, status, matrixtype, description, createddate, createdpersonid,
-- updateddate, updatedpersonid, version, appliesto, applyon, applycriteria, applysequence, applyusesummary,
-- applythrowiferror
-- create view report.matrixdimension: matrixdimensionid, matrixdimension, status, matrixdimensiontype, matrixid, xpath,
-- weight, sequence, valuetype, createddate, createdpersonid, updateddate, updatedpersonid, version
-- create view report.matrixfact: matrixfactid, matrixfact, status, matrixfacttype, matrixid, rownumber,
-- matrixdimensionid, matrixmeasureid, cell, object, objectid, createddate, createdpersonid, updateddate,
-- updatedpersonid, version
-- create view report.matrixmeasure: matrixmeasureid, matrixmeasure, status, matrixmeasuretype, matrixid, valuetype,
-- objecttype, sequence, createddate, createdpersonid, updateddate, updatedpersonid, version
-- create view report.message: messageid, message, status, messagetype, object, objectid, messagetemplateid, bodytext,
-- bodyhtml, fromaddress, fromname, parentmessageid, priority, securedelivery, createddate, createdpersonid,
-- updateddate, updatedpersonid, version, subject, dateadded, custom, threadid, internetmessageid, sentdate,
-- mailinboundid, receiveddate, filedby, fileddetail, subjectchanged, senderproof, senderdetail, dkim, spf, dmarc,
-- autosubmitted
-- create view report.messagerecipient: messagerecipientid, messagerecipient, status, messagerecipienttype, messageid,
-- category, name, contactid, personid, detail, maildeliveryid, sentdate, receiveddate, readdate, createddate,
-- createdpersonid, updateddate, updatedpersonid, version, custom
-- create view report.messagetemplate: messagetemplateid, messagetemplate, status, messagetemplatetype, appliesto,
-- repeatable, extranetenabled, description, subject, bodyhtml, bodytext, bodyxsltid, method, fromaddress, fromname,
-- tocontactid, tocollectionid, cccontactid, cccollectionid, bcccontactid, bcccollectionid, createddate,
-- createdpersonid, updateddate, updatedpersonid, version, toaddress, ccaddress, bccaddress, replytoaddress, tomethod,
-- ccmethod, bccmethod, replytomethod, bodylanguage, attachmenttemplates, provider, securedelivery, isbulk, variantofid,
-- language
-- create view report.militaryservice: militaryserviceid, militaryservice, status, militaryservicetype, lastname,
-- firstname, birthdate, usssn4, activedutystartdate, activedutyenddate, notificationdate, servicecomponentcode,
-- createddate, createdpersonid, updateddate, updatedpersonid, version
-- create view report.objectlink: objectlinkid, objectlink, status, objectlinktype, primaryobject, primaryobjectid,
-- linkedobject, linkedobjectid, createddate, createdpersonid, updateddate, updatedpersonid, version, custom
-- create view report.objectsubscription: objectsubscriptionid, objectsubscription, status, objectsubscriptiontype,
-- object, objectid, subscriberid, organizationid, createddate, createdpersonid, updateddate, updatedpersonid, version,
-- custom
-- create view report.organization: organization, organizationid, organizationtype, status, contacttype, object,
-- objectid, recordclass, firstname, middlename, lastname, prefix, suffix, company, title, address, city, state,
-- postalcode, country, birthdate, spokenlanguage, latitude, longitude, contacttemplateid, parentcontactid, usssn4,
-- scrastatus, scrasource, scrastatusasof, verifiedsource, verifieddate, borrowertype, sequence, providercode, website,
-- createddate, createdpersonid, updateddate, updatedpersonid, version, custom, scraactivedutystartdate,
-- scraactivedutyenddate, scraservicecomponentcode, scramessage
-- create view report.pagelayout: pagelayoutid, pagelayout, status, pagelayouttype, appliesto, processtype, role,
-- layout, description, createddate, createdpersonid, updateddate, updatedpersonid, version
-- create view report.payment: paymentid, payment, status, paymenttype, object, objectid, ledgerid, ledgeritemid,
-- paymentmethodid, paymentsubscriptionid, paymentproviderid, purpose, amount, currency, capturedamount, refundedamount,
-- paymentkey, gatewaypaymentid, declinecode, detail, pendingaction, pendingamount, requesteddate, settleddate,
-- nextcheck, checks, createddate, createdpersonid, updateddate, updatedpersonid, version, custom
-- create view report.paymentcustomer: paymentcustomerid, paymentcustomer, status, paymentcustomertype, object,
-- objectid, paymentproviderid, name, email, telephone, street, street2, city, state, postalcode, country,
-- gatewaycustomerid, customerkey, detail, createddate, createdpersonid, updateddate, updatedpersonid, version, custom
-- create view report.paymentdifference: paymentdifferenceid, paymentdifference, status, paymentdifferencetype,
-- paymentproviderid, day, kind, gatewayid, paymentid, ours, theirs, resolveddate, resolvedpersonid, note, createddate,
-- createdpersonid, updateddate, updatedpersonid, version
-- create view report.paymentdispute: paymentdisputeid, paymentdispute, status, paymentdisputetype, paymentid,
-- paymentproviderid, gatewaydisputeid, amount, currency, reason, answerby, openeddate, closeddate, ledgeritemid,
-- createddate, createdpersonid, updateddate, updatedpersonid, version, custom
-- create view report.paymentevent: paymenteventid, paymentevent, status, paymenteventtype, paymentproviderid,
-- gatewayeventid, objectkind, gatewayobjectid, paymentid, created, receiveddate, reason, createddate, createdpersonid,
-- updateddate, updatedpersonid, version
-- create view report.paymentmethod: paymentmethodid, paymentmethod, status, paymentmethodtype, object, objectid,
-- paymentcustomerid, paymentproviderid, kind, brand, lastfour, expirymonth, expiryyear, gatewaymethodid, vaultkey,
-- gatewayreference, detail, checks, nextcheck, createddate, createdpersonid, updateddate, updatedpersonid, version,
-- custom
-- create view report.paymentreconciliation: paymentreconciliationid, paymentreconciliation, status,
-- paymentreconciliationtype, paymentproviderid, fromday, today, completeddate, paymentcount, refundcount, disputecount,
-- settledcount, differencecount, error, createddate, createdpersonid, updateddate, updatedpersonid, version
-- create view report.paymentrefund: paymentrefundid, paymentrefund, status, paymentrefundtype, paymentid, amount,
-- currency, reason, refundkey, gatewayrefundid, ledgeritemid, detail, requesteddate, settleddate, nextcheck, checks,
-- createddate, createdpersonid, updateddate, updatedpersonid, version, custom
-- create view report.paymentsubscription: paymentsubscriptionid, paymentsubscription, status, paymentsubscriptiontype,
-- paymentmethodid, ledgerid, paymentproviderid, amount, currency, every, subscriptionkey, gatewaysubscriptionid,
-- nextcharge, requesteddate, canceleddate, detail, nextcheck, checks, createddate, createdpersonid, updateddate,
-- updatedpersonid, version, custom
-- create view report.person: personid, person, status, persontype, firstname, lastname, email, organizationid, roles,
-- lockeduntil, createddate, createdpersonid, updateddate, updatedpersonid, version, custom, initialpassworddate
-- create view report.process: processid, process, status, processtype, recordclass, loanid, organizationid, dateopened,
-- dateclosed, closedreason, loanassigned, createddate, createdpersonid, updateddate, updatedpersonid, version, custom,
-- assignedpersonid
-- create view report.professionallicense: professionallicenseid, professionallicense, status, professionallicensetype,
-- object, objectid, effective, expires, verificationtype, verifieddate, verifiedby, attachmentid, geographyid,
-- createddate, createdpersonid, updateddate, updatedpersonid, version, custom
-- create view report.property: propertyid, property, status, propertytype, address, city, state, postalcode, county,
-- createddate, createdpersonid, updateddate, updatedpersonid, version, custom, statederived
-- create view report.publicrecord: publicrecordid, publicrecord, status, publicrecordtype, loanid, filingdate,
-- recordingdate, createddate, createdpersonid, updateddate, updatedpersonid, version, custom
-- create view report.schedule: scheduleid, schedule, status, scheduletype, schedulename, intervalminutes, createddate,
-- createdpersonid, updateddate, updatedpersonid, version
-- create view report.score: scoreid, score, status, scoretype, object, objectid, scoretemplateid, scoremoney, scoreint,
-- scorefloat, scoreboolean, scorechar, scoredate, confidence, renderid, createddate, createdpersonid, updateddate,
-- updatedpersonid, version, custom
-- create view report.scoreitem: scoreitemid, scoreitem, status, scoreitemtype, scoreid, scoreitemtemplateid,
-- scoremoney, scoreint, scorefloat, scoreboolean, scorechar, scoredate, confidence, childscoreid, createddate,
-- createdpersonid, updateddate, updatedpersonid, version, custom
-- create view report.scoreitemtemplate: scoreitemtemplateid, scoreitemtemplate, status, scoreitemtemplatetype,
-- scoretemplateid, safename, valuetype, valuetypecode, prompt, enumeration, weight, sequence, label, mask,
-- unmaskpermission, xpath, createddate, createdpersonid, updateddate, updatedpersonid, version
-- create view report.scoretemplate: scoretemplateid, scoretemplate, status, scoretemplatetype, appliesto, repeatable,
-- extranetenabled, description, scoreengine, method, valuetype, valuetypecode, engineparameters, renderid, createddate,
-- createdpersonid, updateddate, updatedpersonid, version
-- create view report.smartworklist: smartworklistid, smartworklist, status, smartworklisttype, smartworklisttemplateid,
-- sourceobject, teamid, priority, canceleddate, calculateddate, previousworklistid, createddate, createdpersonid,
-- updateddate, updatedpersonid, version
-- create view report.smartworklistmember: smartworklistmemberid, smartworklistmember, status, smartworklistmembertype,
-- smartworklistid, sourceobject, sourceobjectid, reason, reasondetail, priority, sequence, duedate, teamid, personid,
-- startdate, skipdate, cancelleddate, completiondate, helddate, businessminutes, calculatedworklistid, auditeddate,
-- auditedmemberid, createddate, createdpersonid, updateddate, updatedpersonid, version
-- create view report.smartworklisttemplate: smartworklisttemplateid, smartworklisttemplate, status,
-- smartworklisttemplatetype, appliesto, repeatable, extranetenabled, description, sourceobject, calculatemethod,
-- memberurl, onassignsourceperson, teamid, priority, teammatrixid, auditmatrixid, createddate, createdpersonid,
-- updateddate, updatedpersonid, version
-- create view report.transform: transformid, transform, status, transformtype, stylesheet, description, createddate,
-- createdpersonid, updateddate, updatedpersonid, version
-- create view report.view: viewid, view, status, viewtype, recordtype, filters, columns, sortedby, personid,
-- collectionid, pinned, "position", createddate, createdpersonid, updateddate, updatedpersonid, version
