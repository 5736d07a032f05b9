-- down: the search within words, and the use of indexes by the searches of firms
drop index if exists contact_words_idx, loan_words_idx, process_words_idx, property_words_idx;
drop function casewright_find_labels(text, text, text, integer);
drop function casewright_find_words(text, text, integer);
drop function casewright_words_expression(text);
drop function casewright_reach_condition(regclass);
drop function casewright_pattern_query(text);
drop function casewright_words_within_query(text);
create or replace function casewright_words(value text)
  returns tsvector language sql immutable parallel safe cost 1000
  return array_to_tsvector(array(
    select left(x, 60) from regexp_split_to_table(casewright_fold(value) collate "C", '[\x01-\x2f\x3a-\x60\x7b-\x7f]+') x where x <> ''
    union
    select '~' || reverse(left(x, 60))
    from regexp_split_to_table(casewright_fold(value) collate "C", '[\x01-\x2f\x3a-\x60\x7b-\x7f]+') x where x ~ '^[0-9]{4,}$'));
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
