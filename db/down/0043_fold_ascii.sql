-- down: nothing
create or replace function casewright_fold(value text) returns text language sql immutable parallel safe strict
  return lower(regexp_replace(normalize(value collate "C", nfkd), '[\u0300-\u036f]', '', 'g') collate "C");
