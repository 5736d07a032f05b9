-- Search within words: "feather" finds "Quillfeather". The ends of a word of three characters or more are stored too, after a
-- hyphen; then any piece of a word is the beginning of one of them. An end begins with a letter, or with the first digit of
-- several: pieces within numbers are not searched. Words with four characters or more and a digit are also stored backwards,
-- after a tilde: people search a number by its last digits, also that of "S5899597".
-- The indexes are built anew; those of large tables by the housekeeping, without keeping anybody waiting.
drop index if exists contact_words_idx, loan_words_idx, process_words_idx, property_words_idx;

create or replace function casewright_words(value text)
  returns tsvector language sql immutable parallel safe cost 1000
  return array_to_tsvector(array(
    select case n when 0 then '~' || reverse(w) when 1 then w else '-' || substr(w, n) end
    from (
      select left(x, 60) as w, x ~ '[0-9]' as has_digits
      from regexp_split_to_table(casewright_fold(value) collate "C", '[\x01-\x2f\x3a-\x60\x7b-\x7f]+') x
      where x <> '') words,
      generate_series(case when has_digits and length(w) > 3 then 0 else 1 end, greatest(length(w) - 2, 1)) n
    where n < 2 or not has_digits or substr(w, n, 1) !~ '[0-9]' or substr(w, n - 1, 1) !~ '[0-9]'));

-- As casewright_words_query, but words of three characters or more may also be within a word.
create function casewright_words_within_query(value text)
  returns tsquery language sql immutable parallel safe
  return (select string_agg(
      case
        when w ~ '^[0-9]{3,}$' then format('(%s:* | ''-%s'':* | ''~%s'':*)', w, w, reverse(w))
        when length(w) > 2 then format('(''%s'':* | ''-%s'':*)', w, w)
        else format('''%s'':*', w)
      end, ' & ')::tsquery
    from regexp_split_to_table(casewright_fold(value) collate "C", '[\x01-\x2f\x3a-\x60\x7b-\x7f]+') w where w <> '');

-- Words that a text like a pattern must have: pieces of three characters or more that begin with a letter. Null: none.
create function casewright_pattern_query(pattern text)
  returns tsquery language sql immutable parallel safe
  return (select string_agg(format('(''%s'':* | ''-%s'':*)', w, w), ' & ')::tsquery
    from regexp_split_to_table(casewright_fold(pattern) collate "C", '[\x01-\x2f\x3a-\x60\x7b-\x7f]+') w
    where length(w) between 3 and 50 and w !~ '^[0-9]');

-- Searches of firms cannot use an index on words or folded labels: row security lets them compare only rows that it has found to
-- be the firm's. The following functions may use it, and apply the condition of the table's own policy. The searching
-- statement reads the rows under row security.

-- Returns the condition of a table's policy if row security applies to the caller, otherwise "true".
create function casewright_reach_condition(source regclass)
  returns text language sql stable set search_path = public, pg_temp
  return case when current_setting('role') in ('casewright_reach', 'casewright_report') then (
    select pg_get_expr(p.polqual, p.polrelid) from pg_policy p where p.polrelid = source and p.polname = 'reach') else 'true' end;

-- Returns the indexed expression of a table's words, null if there is no usable index.
create function casewright_words_expression(class text)
  returns text language sql stable set search_path = public, pg_temp
  return (select pg_get_expr(i.indexprs, i.indrelid) from pg_index i
    where i.indexrelid = to_regclass(format('public.%I', class || '_words_idx')) and i.indisvalid);

-- Returns the ids of up to 1,000 records of a type whose words begin with all words of a text and, if these are fewer than
-- "enough", of up to 1,000 that have them within words. Without a usable index nothing is found.
create function casewright_find_words(class text, value text, enough integer)
  returns table (id bigint, is_within boolean)
  language plpgsql stable parallel restricted security definer set search_path = public, pg_temp
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
  return query execute format('select %I, false from %s where %s @@ $1 and (%s) limit 1000',
    class || 'id', source, words, casewright_reach_condition(source)) using begins;
  get diagnostics hits = row_count;
  if hits < enough and contains <> begins then
    return query execute format('select %I, true from %s where %s @@ $1 and (%s) limit 1000',
      class || 'id', source, words, casewright_reach_condition(source)) using contains;
  end if;
end
$function$;

-- Returns the ids of the newest records of a type whose label is like one of two patterns, ignoring case and accents. The
-- index of words, which include the label's, serves patterns that begin with a wildcard; that of labels all others. Of
-- 5,000 or more records, those among the last 50,000 of the table come first, then some of the others.
create function casewright_find_labels(class text, pattern text, other text, most integer)
  returns table (id bigint)
  language plpgsql stable parallel restricted security definer set search_path = public, pg_temp
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
  execute format('select array(select %I from %s where %s limit 5000)', class || 'id', source, condition)
    into found using pattern, other, pieces;
  if cardinality(found) = 5000 then
    execute format('select array(select %1$I from %2$s where %3$s and %1$I > (select max(%1$I) - 50000 from %2$s) order by %1$I desc limit $4)',
      class || 'id', source, condition) into newest using pattern, other, pieces, most;
  end if;
  return query select distinct x from unnest(newest || found) x order by x desc limit most;
end
$function$;

revoke execute on function casewright_reach_condition(regclass), casewright_words_expression(text), casewright_find_words(text, text, integer),
  casewright_find_labels(text, text, text, integer) from public;
grant execute on function casewright_words_within_query(text), casewright_find_words(text, text, integer),
  casewright_find_labels(text, text, text, integer) to casewright_reach;

do $$
declare
  wanted record;
begin
  for wanted in select * from (values
    ('contact', 'coalesce(contact::text, '''') || '' '' || coalesce(address::text, '''') || '' '' || coalesce(city::text, '''')'),
    ('loan', 'coalesce(loan::text, '''') || '' '' || coalesce(servicerloanid::text, '''')'),
    ('process', 'coalesce(process::text, '''')'),
    ('property', 'coalesce(property::text, '''')')) w (name, words)
  loop
    if pg_relation_size(('public.' || wanted.name)::regclass) < 8388608 then
      execute format('create index %I on public.%I using gin (casewright_words(%s))', wanted.name || '_words_idx', wanted.name, wanted.words);
    end if;
  end loop;
end $$;
