-- Rotation of the secret key while processes serve: which key seals, and which keys each process knows.

-- The rotation that is under way, or the last one. Keys are named by their ids, which tell nothing of them.
-- announced: the new key is in the ring of some processes, and seals nothing yet.
-- sealing: it seals all that is new, and what the old ones sealed is sealed anew.
-- resealed: nothing stands under the old ones any more. done: they have left the key file.
create table secretkeyrotation (
  onlyrow boolean primary key default true check (onlyrow),
  phase text collate "C" not null check (phase in ('announced', 'sealing', 'resealed', 'done')),
  newkey bytea not null check (octet_length(newkey) = 4),
  -- What seals while the new key is announced.
  currentkey bytea not null check (octet_length(currentkey) = 4),
  -- What is needed to read the store until it is sealed anew.
  oldkeys bytea[] not null,
  starteddate timestamptz not null default now(),
  changeddate timestamptz not null default now()
);

-- The processes that may seal, each with the keys that it knows. Who has not been seen for a minute seals nothing.
create table secretkeyholder (
  processid uuid primary key,
  label text collate "C" not null,
  knows bytea[] not null,
  seals bytea not null,
  seen timestamptz not null default now()
);

-- A number that is sealed anew is the same number: that is no change to remember. History of the sealed values that are
-- there already is sealed anew in its place.
drop trigger contact_history on contact;
create trigger contact_history after update or delete on contact for each row
  when (coalesce(current_setting('casewright.reseal', true), '') <> 'on') execute function casewright_history();
