-- Earlier contents of documents, which stay downloadable when a document's file is replaced.
alter table attachment add column fileversion integer not null default 1;

create table documentversion (
  attachmentid bigint not null,
  number integer not null,
  filename varchar(255) collate casewright_text,
  mimetype varchar(255) collate "C",
  filesize integer,
  filehash varchar(64) collate "C",
  fileobject varchar(100) collate casewright_text not null,
  filepath varchar(1000) collate "C" not null,
  replaceddate timestamptz not null,
  replacedpersonid bigint,
  constraint documentversion_pkey primary key (attachmentid, number)
);
create index documentversion_filepath_idx on documentversion (filepath);
alter table documentversion enable row level security;

-- A new path with the same hash is a move, not new content. Sealed files have no versions: they may contain protected
-- numbers, and each further copy would have to be sealed again with every new key.
create function casewright_attachment_replaced()
  returns trigger language plpgsql security definer set search_path to 'public', 'pg_temp'
as $function$
begin
  insert into documentversion (attachmentid, number, filename, mimetype, filesize, filehash, fileobject, filepath,
    replaceddate, replacedpersonid)
  values (old.attachmentid, old.fileversion, old.filename, old.mimetype, old.filesize, old.filehash, old.fileobject,
    old.filepath, new.updateddate, new.updatedpersonid);
  new.fileversion := old.fileversion + 1;
  return new;
end $function$;
create function casewright_attachment_first()
  returns trigger language plpgsql set search_path to 'public', 'pg_temp'
as $function$
begin
  -- A restored document brings its own.
  new.fileversion := coalesce(new.fileversion, 1);
  return new;
end $function$;
create trigger attachment_first before insert on attachment for each row execute function casewright_attachment_first();
create trigger attachment_replaced before update of filepath on attachment for each row
  when (old.filepath is not null and old.filepath is distinct from new.filepath and old.sealed is not true
    and new.sealed is not true and old.filehash is distinct from new.filehash)
  execute function casewright_attachment_replaced();
