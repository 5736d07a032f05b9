-- Names that are spelled nearly like a text. A word's sound is its first letter and its consonants, those that sound
-- alike being one; words whose sounds differ by one consonant share a key, because each sound is stored with every
-- consonant left out, too.
create function casewright_name_sound(word text)
  returns text language sql immutable parallel safe
  return (with spelled as (
      select regexp_replace(regexp_replace(regexp_replace(regexp_replace(regexp_replace(
        word, '^(?:kn|gn|pn)', 'n'), '^wr', 'r'), 'ph', 'f', 'g'), '[cs]?ch', 'k', 'g'), 'c(?=[eiy])', 's', 'g') as w),
    merged as (select translate(regexp_replace(w, 'ck|c|q', 'k', 'g'), 'zvj', 'sfg') as w from spelled)
    select left(regexp_replace(regexp_replace(left(w, 1), '[aeiouy]', 'a') || regexp_replace(substr(w, 2), '[aeiouyhw]', '', 'g'),
      '(.)\1+', '\1', 'g'), 12) from merged);

-- The keys of all words of a name: `=` and the sound; `-` and the sound, whole and without each of its letters.
create function casewright_name_keys(value text)
  returns tsvector language sql immutable parallel safe cost 1000
  return array_to_tsvector(array(
    select distinct k.k
    from (
      select casewright_name_sound(w.w) as s
      from regexp_split_to_table(casewright_fold(value) collate "C", '[^a-z]+') w (w) where length(w.w) > 1
    ) sounds,
    lateral (
      select '=' || s union all select '-' || s where length(s) > 2
      union all select '-' || left(s, i - 1) || substr(s, i + 1) from generate_series(1, length(s)) i where length(s) > 3
    ) k (k)));

-- The query for a text: every word of it must sound like a word of the name, or, if `loose`, nearly like one.
create function casewright_name_query(value text, loose boolean)
  returns tsquery language sql immutable parallel safe
  return (select string_agg(k.k, ' & ')::tsquery
    from (
      select casewright_name_sound(w.w) as s
      from regexp_split_to_table(casewright_fold(value) collate "C", '[^a-z]+') w (w) where length(w.w) > 1
    ) sounds,
    lateral (
      select '(' || string_agg(format('''%s''', e.e), ' | ') || ')' from (
        select '=' || s union all select '-' || s where loose and length(s) > 2
        union all select '-' || left(s, i - 1) || substr(s, i + 1) from generate_series(1, length(s)) i where loose and length(s) > 3
      ) e (e)
    ) k (k));

-- Returns records with a name that sounds like a text, those that sound the same first. Runs as the owner, so that
-- firms' searches use the index, too; it applies the condition of the table's policy. At most 800 are returned, of which
-- the caller chooses by spelling.
create function casewright_find_names(class text, value text, enough integer)
  returns table(id bigint) language plpgsql stable parallel restricted security definer set search_path to 'public', 'pg_temp'
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

grant execute on function casewright_name_sound(text), casewright_name_keys(text), casewright_find_names(text, text, integer)
  to casewright_reach;

-- online: people are found although their names are misspelled.
create index concurrently if not exists contact_names_idx on contact using gin (casewright_name_keys(contact::text));
