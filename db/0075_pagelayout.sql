-- PageLayout: What the page of a case shows and in which order: facts, milestones, panels and tabs.

create table pagelayout (
  pagelayoutid bigint generated always as identity primary key,
  pagelayout varchar(100) collate casewright_text,
  status varchar(100) collate casewright_text,
  pagelayouttype varchar(100) collate casewright_text,
  appliesto varchar(60) collate "C" not null,
  processtype varchar(100) collate casewright_text,
  role varchar(100) collate casewright_text,
  layout varchar(100000) collate "C" not null,
  description varchar(1000) collate casewright_text,
  createddate timestamptz not null default now(),
  createdpersonid bigint,
  updateddate timestamptz not null default now(),
  updatedpersonid bigint,
  version integer not null default 1
);
create trigger pagelayout_history after update or delete on pagelayout for each row execute function casewright_history();
select casewright_open('pagelayout', 'configuration');
create trigger pagelayout_configuration after insert or update or delete on pagelayout for each statement execute function casewright_configuration();
