-- The functions that find records read a few hundred rows. Starting other processes to help takes longer than reading them.
-- Of labels with the same beginning, 2,000 are read, not 5,000. Words are not searched where enough labels begin with the text.
create or replace function casewright_find_labels(class text, pattern text, other text, most integer)
  returns table(id bigint) language plpgsql stable parallel restricted security definer set search_path to 'public', 'pg_temp'
  set max_parallel_workers_per_gather to 0
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

create or replace function casewright_find_names(class text, value text, enough integer)
  returns table(id bigint) language plpgsql stable parallel restricted security definer set search_path to 'public', 'pg_temp'
  set max_parallel_workers_per_gather to 0
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

create or replace function casewright_find_words(class text, value text, enough integer)
  returns table(id bigint, is_within boolean) language plpgsql stable parallel restricted security definer set search_path to 'public', 'pg_temp'
  set max_parallel_workers_per_gather to 0
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
