-- Attempts to sign in that may have been guesses, by what they are counted for: an account at an address, an address, an
-- account, a browser. A level that sinks evenly, by the limit per window, has no border at which twice the number fits.
create table signinattempt (
  subject bytea primary key,
  level double precision not null,
  most integer not null,
  changed timestamptz not null,
  -- How often in a row the level reached the limit (`most`), and until when attempts are refused.
  streak integer not null,
  waituntil timestamptz,
  -- Whether the last attempt was admitted.
  admitted boolean not null
);
create index signinattempt_changed_idx on signinattempt (changed);
