-- down: until when texts that are read later wait; they are due at once
create or replace function casewright_document_text_due()
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
create or replace function casewright_attachment_scan()
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
      recognized = 0, failures = 0, leaseduntil = null, attempt = attempt + 1, updateddate = now()
      where attachmentid = new.attachmentid;
  elsif new.scanstate in ('Clean', 'Released') and old.scanstate is distinct from new.scanstate then
    -- Its text has waited for the verdict.
    update documenttext set leaseduntil = null
      where attachmentid = new.attachmentid and state = 'Waiting' and leaseduntil is not null;
  end if;
  return null;
end $function$;
drop index documentscan_leased_idx;
drop index documenttext_leased_idx;
alter table documenttext drop column duedate;
