-- The views in a user's sidebar, in the order that the user has chosen.
alter table preference add column pinnedviews varchar(1000) collate "C";
