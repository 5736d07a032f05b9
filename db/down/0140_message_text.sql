-- down: messages are not found by words.
drop trigger objectlink_message_text on objectlink;
drop trigger attachment_message_text on attachment;
drop trigger messagerecipient_text on messagerecipient;
drop trigger messagerecipient_text_removed on messagerecipient;
drop trigger messagerecipient_text_added on messagerecipient;
drop trigger message_text_reach on message;
drop trigger message_text on message;
drop trigger message_text_added on message;
drop function casewright_message_text_part();
drop function casewright_message_text_recipients();
drop function casewright_message_text_reach();
drop function casewright_message_text_due();
drop function casewright_message_text_added();
drop table messagetext;
drop function casewright_find_text(text, text[], text, text[], text[], bigint[], integer, integer);
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
