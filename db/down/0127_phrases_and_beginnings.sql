-- down: phrases and beginnings of words are searched slowly.
drop trigger documentpage_words_changed on documentpage;
drop trigger documentpage_words_added on documentpage;
drop function casewright_note_words();
drop table documentword;
drop function casewright_find_text(text[], text, text[], text[], bigint[], integer, integer);
-- Returns pages whose words match, of the newest documents first. `asked` is tested by the index, `exact` (with phrases)
-- on at most `most` pages that it finds. Runs as the owner, so that firms' searches use the index, too; it applies
-- the policy of the table. `within`: only these documents.
create function casewright_find_text(asked text, exact text, within bigint[], most integer)
  returns table(document bigint, page integer, rank real) language plpgsql stable parallel restricted security definer
  set search_path to 'public', 'pg_temp' set enable_seqscan to 'off'
as $function$
declare
  source regclass := 'public.documentpage';
  allowed text := casewright_reach_condition(source);
  query tsquery := asked::tsquery;
  newest bigint := coalesce((select max(p.attachmentid) from documentpage p), 0);
  upper_bound bigint := newest + 1;
  lower_bound bigint;
  narrowed tsquery;
  found_pages integer := 0;
  part integer;
begin
  if allowed <> 'true' then
    query := format('''/f%s''', current_setting('casewright.firm'))::tsquery && query;
  end if;
  foreach part in array case when within is null then array[13, 17, 0] else array[0] end loop
    lower_bound := case when part = 0 then 0 else greatest((newest >> part) - 1, 0) << part end;
    continue when lower_bound >= upper_bound;
    narrowed := case part
      when 13 then format('''/n%s'' | ''/n%s''', newest >> 13, (newest >> 13) - 1)::tsquery && query
      when 17 then format('''/m%s'' | ''/m%s''', newest >> 17, (newest >> 17) - 1)::tsquery && query
      else query end;
    return query execute format(
      'select c.attachmentid, c.page, ts_rank(c.words, %2$L::tsquery) from (
         select attachmentid, page, words from documentpage
         where words @@ %1$L::tsquery and (%3$s) and attachmentid >= $1 and attachmentid < $2
           and ($3 is null or attachmentid = any($3))
         limit $4) c
       where c.words @@ %2$L::tsquery', narrowed, exact, allowed)
      using lower_bound, upper_bound, within, most - found_pages;
    get diagnostics part = row_count;
    found_pages := found_pages + part;
    exit when found_pages >= most;
    upper_bound := lower_bound;
  end loop;
end
$function$;
grant execute on function casewright_find_text(text, text, bigint[], integer) to casewright_reach;
create index if not exists documentpage_words_idx on documentpage using gin (words) with (gin_pending_list_limit = 512);
drop index if exists documentpage_text_idx;
drop function casewright_page_pairs(tsvector);
drop function casewright_pair_key(text);
