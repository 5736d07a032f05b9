-- Follow: A user who is notified of meaningful changes of a record.
-- Notification: Something that happened and that one user wants to know. Deleted after 90 days.

create table follow (
  followid bigint generated always as identity primary key,
  follow varchar(255) collate casewright_text,
  status varchar(100) collate casewright_text,
  followtype varchar(100) collate casewright_text,
  personid bigint not null references person,
  object varchar(60) collate "C" not null,
  objectid bigint not null,
  createddate timestamptz not null default now(),
  createdpersonid bigint,
  updateddate timestamptz not null default now(),
  updatedpersonid bigint,
  version integer not null default 1
);
create unique index follow_key on follow (personid, object, objectid);
create index follow_object_idx on follow (objectid, object);
create trigger follow_history after update or delete on follow for each row execute function casewright_history();
select casewright_open('follow', 'none');

create table notification (
  notificationid bigint generated always as identity primary key,
  notification varchar(255) collate casewright_text,
  status varchar(100) collate casewright_text,
  notificationtype varchar(100) collate casewright_text,
  personid bigint not null references person,
  object varchar(60) collate "C" not null,
  objectid bigint not null,
  kind varchar(10) collate casewright_text not null,
  count integer not null check (count > 0),
  readdate timestamptz,
  createddate timestamptz not null default now(),
  createdpersonid bigint,
  updateddate timestamptz not null default now(),
  updatedpersonid bigint,
  version integer not null default 1
);
create index notification_personid_idx on notification (personid, notificationid);
create index notification_unread_idx on notification (personid) where readdate is null;
create index notification_record_idx on notification (personid, objectid, object, notificationid);
select casewright_open('notification', 'none');

-- Notifications have no history, but open pages count them: what is new and what was read is noted for the change feed.
do $$ begin
  execute casewright_added_text('notification');
end $$;
create trigger notification_added after insert on notification referencing new table as added for each statement
  execute function casewright_history_of_notification_added();
create trigger notification_changed after update on notification referencing new table as added for each statement
  execute function casewright_history_of_notification_added();

-- How far changes have been looked at for notifications; null: begin with the present.
create table notificationposition (
  singleton boolean primary key default true check (singleton),
  position text collate "C"
);
insert into notificationposition default values;
