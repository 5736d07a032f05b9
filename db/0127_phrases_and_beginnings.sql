-- Phrases and beginnings of words are found by the index alone: see ADR 88.

-- Words by which the beginning of a word is looked up. Those with digits are too many, and rare, so that the index of
-- pages finds them as fast. Words of texts that are gone remain.
create table documentword (
  word varchar(64) collate "C" not null constraint documentword_pkey primary key
);
alter table documentword enable row level security;

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
create trigger documentpage_words_added after insert on documentpage referencing new table as added
  for each statement execute function casewright_note_words();
create trigger documentpage_words_changed after update on documentpage referencing new table as added
  for each statement execute function casewright_note_words();
insert into documentword
  select word from ts_stat('select words from public.documentpage') where length(word) >= 4 and word !~ '[0-9/~''\\]'
  on conflict do nothing;

-- The key of two words that follow each other: one of 65,536. Of 200 pages with 300 words, one has a given key by
-- chance.
create function casewright_pair_key(pair text) returns integer language sql immutable strict parallel safe
  return hashtext(pair) & 65535;

-- The keys of all words of a page that follow each other. They are in the index and not in the table.
create function casewright_page_pairs(words tsvector) returns integer[]
  language sql immutable strict parallel safe cost 1000 set search_path to 'public', 'pg_temp'
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

drop function casewright_find_text(text, text, bigint[], integer);

-- Returns pages whose words match, of the newest documents first, at most `most`. The index tests each of `asked`, and
-- `pairs`: words that follow each other, divided by a blank. Each is a condition of its own, as are the firm and the
-- range of documents: within one condition GIN reads all pages with the rarest word; of several, it skips those that
-- the others lack. `exact` (with phrases) is tested on at most `tested` pages that the index finds. `beginnings` of
-- words in `asked` are replaced by the words that begin so, unless these are too many: the index reads all pages with a
-- beginning, whatever else they must have. Runs as the owner, so that firms' searches use the index, too; it applies
-- the policy of the table. `within`: only these documents.
create function casewright_find_text(asked text[], exact text, pairs text[], beginnings text[], within bigint[],
    most integer, tested integer)
  returns table(document bigint, page integer, rank real) language plpgsql stable parallel restricted security definer
  set search_path to 'public', 'pg_temp' set enable_seqscan to 'off'
as $function$
declare
  words_max constant integer := 256;
  source regclass := 'public.documentpage';
  allowed text := casewright_reach_condition(source);
  newest bigint := coalesce((select max(p.attachmentid) from documentpage p), 0);
  upper_bound bigint := newest + 1;
  lower_bound bigint;
  conditions text;
  part integer;
  beginning text;
  words text[];
  candidate record;
begin
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
      'select attachmentid, page, case when words @@ %3$L::tsquery then ts_rank(words, %3$L::tsquery) end as rank
       from documentpage
       where %1$s and %2$s and (%4$s) and attachmentid >= $1 and attachmentid < $2
         and ($3 is null or attachmentid = any($3))',
      case part when 0 then 'true'
        else format('words @@ ''''''/%1$s%2$s'''' | ''''/%1$s%3$s''''''::tsquery',
          case part when 13 then 'n' else 'm' end, newest >> part, (newest >> part) - 1) end,
      conditions, exact, allowed)
      using lower_bound, upper_bound, within
    loop
      tested := tested - 1;
      if candidate.rank is not null then
        most := most - 1;
        document := candidate.attachmentid;
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
grant execute on function casewright_find_text(text[], text, text[], text[], bigint[], integer, integer)
  to casewright_reach;

-- online: phrases are found by the keys of their words.
create index concurrently if not exists documentpage_text_idx
  on documentpage using gin (words, casewright_page_pairs(words)) with (gin_pending_list_limit = 512);
drop index concurrently if exists documentpage_words_idx;
