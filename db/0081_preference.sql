-- Preference: How the console looks and behaves for one user. Whoever has none has the defaults.

create table preference (
  preferenceid bigint generated always as identity primary key,
  preference varchar(255) collate casewright_text,
  status varchar(100) collate casewright_text,
  preferencetype varchar(100) collate casewright_text,
  personid bigint not null unique references person,
  theme varchar(8) collate casewright_text,
  density varchar(11) collate casewright_text,
  sidebar varchar(9) collate casewright_text,
  shortcuts boolean,
  timezone varchar(60) collate "C",
  startpage varchar(5) collate casewright_text,
  mutedkinds varchar(500) collate "C",
  createddate timestamptz not null default now(),
  createdpersonid bigint,
  updateddate timestamptz not null default now(),
  updatedpersonid bigint,
  version integer not null default 1
);
create trigger preference_history after update or delete on preference for each row execute function casewright_history();
select casewright_open('preference', 'none');
