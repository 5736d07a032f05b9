-- Legal holds on documents, and on all documents of a case.
create table legalhold (
  legalholdid bigint generated always as identity primary key,
  legalhold varchar(255) collate casewright_text,
  status varchar(100) collate casewright_text,
  legalholdtype varchar(100) collate casewright_text,
  object varchar(60) collate "C" not null,
  objectid bigint not null,
  reason text collate casewright_text not null,
  releaseddate timestamptz,
  releasedpersonid bigint references person,
  releasereason text collate casewright_text,
  createddate timestamptz not null default now(),
  createdpersonid bigint,
  updateddate timestamptz not null default now(),
  updatedpersonid bigint,
  version integer not null default 1,
  constraint legalhold_release_check check ((releaseddate is null) = (releasereason is null))
);
create index legalhold_object_idx on legalhold (objectid, object) where releaseddate is null;
create index legalhold_releasedpersonid_idx on legalhold (releasedpersonid);
select casewright_open('legalhold', 'none');

-- Releasing a hold is for administrators, and for roles to which they grant it.
update role
set permissions = btrim(replace(' ' || (permissions collate "C") || ' ', ' -UnmaskSSN ',
    ' -UnmaskSSN -AttachmentReleaseHold ')),
  updateddate = now(), version = version + 1
where strpos(' ' || (permissions collate "C") || ' ', ' -UnmaskSSN ') > 0
  and strpos(permissions collate "C", '-AttachmentReleaseHold') = 0;
