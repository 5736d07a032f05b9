-- The words by which people search: names, streets, numbers. They cost some 20 microseconds, which the planner must know: it
-- would rather compute them for all rows than read the index. A number of four digits or more is also stored backwards, after
-- a tilde, so that its last digits are found by a prefix. Every character but letters and digits separates words.
create function casewright_words(value text)
  returns tsvector language sql immutable parallel safe cost 1000
  return array_to_tsvector(array(
    select left(x, 60) from regexp_split_to_table(casewright_fold(value) collate "C", '[\x01-\x2f\x3a-\x60\x7b-\x7f]+') x where x <> ''
    union
    select '~' || reverse(left(x, 60))
    from regexp_split_to_table(casewright_fold(value) collate "C", '[\x01-\x2f\x3a-\x60\x7b-\x7f]+') x where x ~ '^[0-9]{4,}$'));

-- All words of a text, each as the beginning of a word; of digits, as the beginning or the end of a number. Null: no words.
create function casewright_words_query(value text)
  returns tsquery language sql immutable parallel safe
  return (select string_agg(case when w ~ '^[0-9]{3,}$' then format('(%s:* | ''~%s'':*)', w, reverse(w)) else format('''%s'':*', w) end, ' & ')::tsquery
    from regexp_split_to_table(casewright_fold(value) collate "C", '[\x01-\x2f\x3a-\x60\x7b-\x7f]+') w where w <> '');

grant execute on function casewright_words(text), casewright_words_query(text) to casewright_reach;

-- Large tables get their indexes from the housekeeping, without keeping anybody waiting. Until then their words are not searched.
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
    if pg_relation_size(('public.' || wanted.name)::regclass) < 33554432 then
      execute format('create index %I on public.%I using gin (casewright_words(%s))', wanted.name || '_words_idx', wanted.name, wanted.words);
    end if;
  end loop;
end $$;
