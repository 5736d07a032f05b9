-- Failed parts of referrals and event files are sent again, corrected, as an import of their own.
alter table importfile add column correctsid bigint, add column resentdate timestamptz;
alter table importcorrection add column sentimportfileid bigint;
-- online: finds the imports that correct another one, of which there are few
create index concurrently if not exists importfile_correctsid_idx on importfile (correctsid) where correctsid is not null;
