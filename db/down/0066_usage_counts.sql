-- down: the counts of calls and bytes within the present minute and day
drop table usagecount;
create table ratelimit (apikeyid bigint not null, minute timestamptz not null, calls integer not null, primary key (apikeyid, minute));
