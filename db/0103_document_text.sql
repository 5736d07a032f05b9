-- The text of documents, by page, and its words. Row security of a page is that of its document, whose firm is copied
-- here: a condition on another table would be computed for every row.
create table documenttext (
  attachmentid bigint not null constraint documenttext_pkey primary key
    constraint documenttext_attachmentid_fkey references attachment (attachmentid) on delete cascade,
  -- The hash of the content that was read or is to be read.
  version varchar(64) collate "C",
  state varchar(20) collate "C" not null default 'Waiting',
  reason varchar(500),
  pagecount integer,
  pagesread integer not null default 0,
  pictures integer not null default 0,
  recognized integer not null default 0,
  -- The name and type are to be written, and the text was asked for although the setting does not.
  namedue boolean not null default true,
  requested boolean not null default false,
  attempt integer not null default 0,
  -- Attempts that have stored nothing, since the last that did.
  failures integer not null default 0,
  leaseduntil timestamptz,
  updateddate timestamptz not null default now(),
  constraint documenttext_state_check check (state in ('Waiting', 'Reading', 'Ready', 'Unrecognized', 'Failed')),
  constraint documenttext_pages_check check (pagesread >= 0 and recognized >= 0 and recognized <= pictures)
);
create index documenttext_due_idx on documenttext (requested, attachmentid)
  where namedue or state in ('Waiting', 'Reading');
create index documenttext_unrecognized_idx on documenttext (attachmentid) where state = 'Unrecognized';
alter table documenttext enable row level security;

create table documentpage (
  attachmentid bigint not null
    constraint documentpage_attachmentid_fkey references documenttext (attachmentid) on delete cascade,
  -- 0 is the name and type of the document.
  page integer not null,
  version varchar(64) collate "C",
  reachorganizationid bigint,
  source varchar(20) collate "C" not null,
  body text not null,
  boxes bytea,
  words tsvector not null,
  constraint documentpage_pkey primary key (attachmentid, page),
  constraint documentpage_page_check check (page >= 0),
  constraint documentpage_source_check check (source in ('Name', 'Text', 'Section', 'Picture', 'Recognized', 'Unreadable'))
);
-- Ranking reads the words and not the text: they stay in the row, and the text does not.
alter table documentpage alter column words set storage main;
alter table documentpage alter column body set storage extended;
alter table documentpage alter column boxes set storage external;
create index documentpage_words_idx on documentpage using gin (words) with (gin_pending_list_limit = 512);
create index documentpage_picture_idx on documentpage (attachmentid, page) where source = 'Picture';
alter table documentpage enable row level security;
create policy reach on documentpage for select to casewright_reach
  using (reachorganizationid = current_setting('casewright.firm')::bigint);
grant select on documentpage to casewright_reach;

-- The lexemes of a page: words as written with their positions, identifiers, and those that no word can be: stems that
-- differ from their words, the firm, and the ranges of ids that the document is in, by which the newest are found first.
create function casewright_page_words(written tsvector, others text[], document bigint, firm bigint)
  returns tsvector language sql stable parallel safe set search_path to 'public', 'pg_temp'
  return written || array_to_tsvector(array(
    select distinct lexeme from (
      select '~' || stem.stem from unnest(tsvector_to_array(written)) word,
        lateral (select (ts_lexize('pg_catalog.english_stem', word))[1]) stem (stem)
        where word ~ '^[a-z]+$' and stem.stem <> word
      union all select unnest(others)
      union all values ('/n' || (document >> 13)), ('/m' || (document >> 17)), ('/f' || firm)
    ) lexemes (lexeme) where lexeme <> ''));

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

-- A new document, other content and another name are noted here; the text is read later.
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
        leaseduntil = null, updateddate = now();
  else
    update documenttext set namedue = true where attachmentid = new.attachmentid and not namedue;
  end if;
  return null;
end
$function$;
create trigger attachment_text after insert or update of filehash, filepath, filename, attachment, attachmenttype,
  attachmenttemplateid, sealed on attachment for each row execute function casewright_document_text_due();

-- The pages of a document belong to its firm.
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
create trigger attachment_text_reach after update on attachment for each row
  when (new.reachorganizationid is distinct from old.reachorganizationid)
  execute function casewright_document_text_reach();
